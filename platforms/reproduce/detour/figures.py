# SPDX-License-Identifier: Apache-2.0
"""What figs. 7 to 12 have in common: exchanges, rows that are judged on them, and the same under each alternative
assumption."""

from reproduction import Findings, Reading, Row

from . import choices, pictures
from .exchange import Measured


class Figure:
    """`exchanges`: the points of the figure are those of the first. `values(found)` gives the rows' values from {name
    of an exchange: Measured}, None for what a configuration refuses or a quick version leaves out. `curves(axes, found,
    chosen, spread)` draws the series of the numbers of dead nodes that `chosen` accepts; `axis(axes, points)` names the
    axes."""

    def __init__(self, exchanges, rows, values, table, curves, axis, notes=()):
        self.exchanges, self.rows, self.values, self.table, self.curves, self.axis = (exchanges, rows, values, table,
                                                                                      curves, axis)
        self.notes = list(notes)

    def plan(self, setting):
        return {name: run for exchange in self.exchanges for name, run in exchange.plan(setting.quick).items()}

    def found(self, quick, results):
        return {exchange.name: Measured(exchange, quick, results) for exchange in self.exchanges}

    def first(self, found):
        return found[self.exchanges[0].name]

    def evaluate(self, setting, results):
        found = self.found(setting.quick, results)
        return Findings(self.values(found), self.table(found), lambda figure: self.draw(figure, found),
                        self.notes + self.first(found).refusals())

    def draw(self, figure, found):
        panels = pictures.panels(figure)
        for axes, chosen in panels:
            self.curves(axes, found, chosen, True)
        # The panels share an axis, whose limits are set when all curves are there.
        for axes, _ in panels:
            self.axis(axes, self.first(found).points)
            axes.legend(fontsize=7)


class Choices:
    """A figure under each alternative, on the canonical fault sets, without the exchanges that have an alternative of
    their own. Rows say which of the figure's own rows do not hold then."""

    def __init__(self, figure, number):
        self.figure, self.number = figure, number
        self.judged = [row for row in figure.rows if row.tolerance]
        self.exchanges = [exchange for exchange in figure.exchanges if exchange.choice is None]
        drawn = {router for exchange in self.exchanges for router, _ in exchange.series}
        # Those that change a run of the figure.
        self.choices = {name: choice for name, choice in choices.CHOICES.items()
                        if any(choice.keys(router) for router in drawn)}
        self.rows = [Row(name, f"{choice.label}: rows of fig. {number} that do not hold", "-")
                     for name, choice in self.choices.items()]

    def chosen(self, quick):
        return dict(list(self.choices.items())[:1]) if quick else self.choices

    def plan(self, setting):
        return {f"{name}: {key}": run for name, choice in self.chosen(setting.quick).items()
                for exchange in self.exchanges for key, run in exchange.plan(setting.quick, choice).items()}

    def found(self, name, quick, results):
        prefix = f"{name}: "
        mine = {key[len(prefix):]: result for key, result in results.items() if key.startswith(prefix)}
        return {exchange.name: Measured(exchange, quick, mine, random=False) for exchange in self.exchanges}

    def verdict(self, found, quick):
        """Keys of the rows that do not hold, of how many. A row that cannot be measured (a router refuses the
        alternative) is not judged."""
        values = self.figure.values(found)
        judged = [row for row in self.judged if values.get(row.key) is not None and (row.quick or not quick)]
        missed = [row.key for row in judged if not row.tolerance.accepts(values[row.key])]
        return f"{', '.join(missed) or 'none'} (of {len(judged)} judged)"

    def evaluate(self, setting, results):
        found = {name: self.found(name, setting.quick, results) for name in self.chosen(setting.quick)}
        values = {name: self.verdict(measured, setting.quick) for name, measured in found.items()}
        table = [{"alternative": choices.CHOICES[name].label, **line} for name, measured in found.items()
                 for line in self.figure.table(measured)]
        notes = ["random fault sets are left out, and their rows"]
        if any(result.refusal is not None for result in results.values()):
            notes.append("Duato's protocol and Detour-NF refuse early reuse: in wormhole switching they rest on "
                         "channels that are taken when empty")
        return Findings(values, table, lambda figure: self.draw(figure, found), notes,
                        readings=self.readings(found, setting.quick))

    def readings(self, found, quick):
        """Each statement of the figure under each alternative that its routers do not refuse."""
        return [Reading(f"detour.fig{self.number}", row.key, choices.CHOICES[name].label, value,
                        row.read_as(value, row))
                for name, measured in found.items() for values in [self.figure.values(measured)] for row in self.judged
                for value in [values.get(row.key)] if value is not None and (row.quick or not quick)]

    def draw(self, figure, found):
        columns = min(4, len(found))
        lines = (len(found) + columns - 1) // columns
        figure.set_size_inches(3.2 * columns + 1, 2.6 * lines + 0.6)
        panels = list(figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True).flat)
        for axes, (name, measured) in zip(panels, found.items()):
            self.figure.curves(axes, measured, lambda dead: True, False)
            axes.set_title(choices.CHOICES[name].label, fontsize=8)
        for axes, measured in zip(panels, found.values()):
            self.figure.axis(axes, self.figure.first(measured).points)
            axes.label_outer()
        for axes in panels[len(found):]:
            axes.axis("off")
        # In a panel that is left over, if there is one.
        spare = len(panels) > len(found)
        panels[-1 if spare else 0].legend(*panels[0].get_legend_handles_labels(), fontsize=7 if spare else 5)
