"""Tateshita 2009: prediction routers on fat trees."""

IDS = ["fig7", "fig8"]
