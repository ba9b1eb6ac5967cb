#include "frame.glsl"
#include "tile.glsl"

// Light on leaves: they scatter, so the sun reaches a little past the edge of the lit side. `shade` and `open_sky`
// 0…1 are the shares of sun and sky that reach them.
vec3 light_foliage(vec3 albedo, vec3 normal, float shade, float open_sky) {
    // Some of it goes through, yellower than what comes back: the shaded side glows, it is never black.
    float toward = dot(normal, light_direction.xyz);
    float facing = max((toward + 0.35) / 1.35, 0.0);
    float through = 0.16 + 0.14 * max(-toward, 0.0);
    vec3 ambient = mix(ground_light.rgb, sky_light.rgb, 0.5 + 0.5 * normal.y) * open_sky;
    vec3 sun = light_colour.rgb * shade;
    return albedo * (sun * (facing + through * vec3(1.15, 1.10, 0.60)) + ambient);
}

// Share of the sun that comes through the clouds to camera-relative `place`.
float cloud_shade(vec3 place) {
    vec2 through = place.xz + light_direction.xz / max(light_direction.y, 0.08) * max(cloud.z - place.y, 0.0);
    return 1.0 - 0.62 * cloud_thickness(cloud.xy + through / CLOUD_PERIOD_M);
}

// A tree's own tone from its hash 0…1: some are darker, some yellower.
vec3 tree_tone(float tint) {
    float other = fract(tint * 7.31);
    return (0.78 + 0.42 * tint) * vec3(0.90 + 0.28 * other, 1.0, 0.95 - 0.15 * other);
}

// Whether a fragment of a cross-fade is left out. `fade` 1 shows all; 0…1 that share; −1…0 exactly what the
// other detail of the same tree leaves out.
bool faded_out(float fade, vec2 pixel) {
    // Source: Jorge Jimenez, "Next Generation Post Processing in Call of Duty" (2014), interleaved gradient noise.
    float noise = fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
    return fade >= 0.0 ? noise >= fade : noise < -fade;
}
