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

// Leaves pass on the sky's light as well, so crowns get more of it than a closed surface would. By eye.
const float LEAVES_OPEN = 1.45;

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

// A tree's leaves in the season: `broadleaved` 1 turn, each tree at its own time; needles (0) only dull a little.
vec3 leaf_colour(vec3 albedo, float tint, float broadleaved) {
    float own = fract(tint * 5.17 + 0.3);
    float turned = broadleaved * smoothstep(0.55 * own, 0.55 * own + 0.45, leaves.x);
    float hue = fract(tint * 13.7);
    vec3 autumn = hue < 0.5 ? mix(vec3(1.05, 0.62, 0.07), vec3(0.95, 0.36, 0.05), 2.0 * hue)
        : mix(vec3(0.95, 0.36, 0.05), vec3(0.62, 0.15, 0.06), 2.0 * hue - 1.0);
    float bright = dot(albedo, vec3(0.30, 0.60, 0.10));
    vec3 fresh = albedo * vec3(1.18, 1.12, 0.80);
    vec3 colour = mix(albedo * tree_tone(tint), fresh * tree_tone(tint), 0.8 * broadleaved * leaves.z);
    return mix(colour, autumn * (bright * 2.1), turned);
}

// Share of its leaves that a tree has lost.
float leaves_lost(float tint, float broadleaved) {
    float own = fract(tint * 5.17 + 0.3);
    return 0.92 * broadleaved * smoothstep(0.4 * own, 0.4 * own + 0.6, leaves.y);
}

// Snow on what looks up, 0…1, at camera-relative `place`; hashed a little from tree to tree.
float snow_on(vec3 place, vec3 normal, float tint) {
    float above = place.y + camera.y - season.w + 90.0 * (fract(tint * 3.7) - 0.5);
    return smoothstep(-60.0, 160.0, above) * smoothstep(-0.05, 0.55, normal.y);
}

const vec3 SNOW_ON_LEAVES = vec3(0.72, 0.76, 0.82);

// Whether a fragment of a cross-fade is left out. `fade` 1 shows all; 0…1 that share; −1…0 exactly what the
// other detail of the same tree leaves out.
bool faded_out(float fade, vec2 pixel) {
    // Source: Jorge Jimenez, "Next Generation Post Processing in Call of Duty" (2014), interleaved gradient noise.
    float noise = fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
    return fade >= 0.0 ? noise >= fade : noise < -fade;
}
