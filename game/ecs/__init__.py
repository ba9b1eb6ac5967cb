"""Entities: components without behaviour, and the one place that talks to esper."""
