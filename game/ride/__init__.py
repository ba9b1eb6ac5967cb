"""Riding: bicycle, collisions, camera, autopilot."""
