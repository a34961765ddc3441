# SPDX-License-Identifier: Apache-2.0
"""Look-up power of a switch of seven ports at 0, 50 and 100 % of 1,400 Gbps, from the accesses that its parts
counted."""

from reproduction import Findings, Row, Run, at_most, holds, within

from . import equations, switches

TITLE = "Power of look-ups at three loads"
SOURCE = "Hirasawa 2020, section 7.1, eq. 5 and fig. 13"
LOADS, SIZES = [0, 50, 100], [256, 400, 512]
FLIT_BYTES, PERIOD_PS = 16, 640  # 200 Gbps a port; all three packet sizes are whole flits
SERIES = {"conventional": "no cache", "miss1": "cache, 1 % miss", "miss0": "cache, 0 % miss"}
ROWS = [
    Row("equation", "power from counted accesses against eq. 5, largest difference", "eq. 5", at_most(1e-9),
        unit="%", by_definition=True),
    Row("nominal", "the same with the nominal packets per second and miss ratio", "eq. 5", at_most(2.0),
        unit="%"),
    Row("dominates", "CAM's dynamic power dominates the conventional switch under load", "dominates", holds()),
    Row("idle_conventional", "0 % load, no cache", "36 mW (P_cam)", within(36, 0), unit="mW", by_definition=True),
    Row("idle_cached", "0 % load, cache: costs more", "127 mW (7 P_cache + P_cam)", within(127, 1e-9),
        unit="mW", by_definition=True),
    Row("saves", "both caches below no cache, at 50 and 100 %", "reduced by far", holds()),
    Row("static_share", "static power of the caches at 50 %, of the conventional switch", "about 1 %", within(1, 0.2),
        unit="%"),
    Row("half_conventional", "50 % load, no cache, 400 B", "(figure)", unit="mW"),
    Row("half_miss1", "50 % load, cache, 1 % miss, 400 B", "(figure)", unit="mW"),
    Row("half_miss0", "50 % load, cache, 0 % miss, 400 B", "(figure)", unit="mW"),
]


def flush_every(series, load, size):
    """A flush (a routing update) makes a port miss until the answer to its first look-up is back: for one packet, or
    for all that come in those 27 cycles. So that 1 % of all miss, it comes every so many packets of a port."""
    if series != "miss1" or load == 0:
        return 0
    interval = size // FLIT_BYTES * 100 // load
    return 100 * -(-equations.CASES[1]["miss"] // interval)


def keys(setting, series, load, size):
    lookup = switches.conventional(1) if series == "conventional" else switches.cached(1, warm=True)
    return {"study.kind": "power", "study.load_percent": load, "study.packet_flits": size // FLIT_BYTES,
            "study.packets": 2000 if setting.quick else 20000, "study.flush_every": flush_every(series, load, size),
            "clock_period_ps": PERIOD_PS, "router.buffer_flits": 256, "router.switching": "virtual_cut_through",
            "router.route_at": "arrival", **lookup}


def plan(setting):
    return {f"{series} {load} {size}": Run("lookup_study", keys=keys(setting, series, load, size))
            for series in SERIES for load in LOADS for size in ([400] if setting.quick else SIZES)}


def line(series, load, size, result):
    nominal_rate = load / 100 * 1400e9 / (8 * size)
    nominal_misses = {"conventional": 1, "miss1": 0.01, "miss0": 0}[series]
    rate, misses = result.metric("lookups_per_second"), result.metric("miss_ratio") or 0
    cached = series != "conventional"
    return {"series": series, "load_percent": load, "packet_bytes": size, "lookups_per_second": rate,
            "miss_ratio": misses, "cache_dynamic_mw": result.metric("cache_dynamic_mw"),
            "cam_dynamic_mw": result.metric("cam_dynamic_mw"), "cache_static_mw": result.metric("cache_static_mw"),
            "cam_static_mw": result.metric("cam_static_mw"), "power_mw": result.metric("power_mw"),
            "eq5_mw": 1e3 * equations.lookup_power_w(rate, misses, cached),
            "nominal_mw": 1e3 * equations.lookup_power_w(nominal_rate, nominal_misses, cached)}


def evaluate(setting, results):
    table = [line(*name.split()[:1], *map(int, name.split()[1:]), result) for name, result in results.items()]
    at = {(entry["series"], entry["load_percent"]): entry for entry in table if entry["packet_bytes"] == 400}

    def error(closed):
        return max(100 * abs(entry["power_mw"] / entry[closed] - 1) for entry in table)

    loaded = [entry for entry in table if entry["series"] == "conventional" and entry["load_percent"]]
    values = {"equation": error("eq5_mw"), "nominal": error("nominal_mw"),
              "dominates": all(entry["cam_dynamic_mw"] > 0.9 * entry["power_mw"] for entry in loaded),
              "idle_conventional": at["conventional", 0]["power_mw"], "idle_cached": at["miss0", 0]["power_mw"],
              "saves": all(at[series, load]["power_mw"] < at["conventional", load]["power_mw"]
                           for series in ("miss1", "miss0") for load in LOADS if load),
              "static_share": 100 * at["miss0", 50]["cache_static_mw"] / at["conventional", 50]["power_mw"],
              **{f"half_{series}": at[series, 50]["power_mw"] for series in SERIES}}

    def draw(figure):
        axes = figure.subplots()
        places, labels = [], []
        parts = {"cam_dynamic_mw": "CAM, dynamic", "cam_static_mw": "CAM, static",
                 "cache_dynamic_mw": "caches, dynamic",
                 "cache_static_mw": "caches, static"}
        bars = [(load, series) for load in LOADS for series in SERIES]
        bottom = [0.0] * len(bars)
        places = [index + index // len(SERIES) for index in range(len(bars))]
        for name, label in parts.items():
            heights = [at[series, load][name] for load, series in bars]
            axes.bar(places, heights, bottom=bottom, label=label)
            bottom = [low + height for low, height in zip(bottom, heights)]
        for place, height in zip(places, bottom):
            axes.text(place, height, f" {height:,.0f}", rotation=90, ha="center", va="bottom", fontsize=7)
        labels = [f"{SERIES[series]}\n{load} %" for load, series in bars]
        axes.set_xticks(places, labels, rotation=60, fontsize=7)
        axes.set_ylim(top=1.15 * max(bottom))
        axes.set_ylabel("power of look-ups (mW)")
        axes.set_title("Packets of 400 B, share of 1,400 Gbps; from counted accesses")
        axes.legend()

    return Findings(values, table, draw, ["the paper gives no packet size: 400 B; 256 and 512 B are in data.csv"])
