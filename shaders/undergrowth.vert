// Grass tufts, flowers and small shrubs: the instance's number says where it stands, the land's textures how high.
#include "frame.glsl"
#include "atmosphere.glsl"
#include "curvature.glsl"
#include "foliage.glsl"
#include "shade.glsl"
#include "tracks.glsl"
#include "undergrowth.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec4 colour;  // r: how light, g: share of the flower's own colour, b: unused; a: how freely it moves

out vec3 v_colour;
out vec3 v_air;

const float TURN = 6.283185307179586;
const vec3 FLOWERS[5] = vec3[5](
    vec3(0.82, 0.80, 0.74), vec3(0.80, 0.56, 0.05), vec3(0.34, 0.16, 0.55), vec3(0.62, 0.10, 0.10), vec3(0.30, 0.36, 0.72)
);
const vec3 LEAF = vec3(0.075, 0.112, 0.032);

void main() {
    Plant plant = plant_at(gl_InstanceID);
    float near = length(plant.foot);
    // None on the lens.
    float grown = plant.grown * smoothstep(0.5, 1.3, near);
    if (grown <= 0.0) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        v_colour = v_air = vec3(0.0);
        return;
    }
    float c = cos(plant.look.x * TURN), s = sin(plant.look.x * TURN);
    float size = grown * (KIND == SHRUB ? 0.40 + 0.55 * plant.look.z : 0.85 + 0.95 * plant.look.z);
    size *= (1.0 - 0.28 * plant.alpine) * (KIND == FLOWER ? 0.66 : 1.0);
    if (KIND != SHRUB) size *= 1.0 - 0.85 * trodden(plant.foot.xz);
    // From afar thin blades would flicker: they are wider there.
    float wide = size * (KIND == SHRUB ? 1.0 : 1.0 + near / 26.0);
    vec3 local = vec3(position.x * wide, position.y * size, position.z * wide);
    vec3 off = vec3(c * local.x + s * local.z, local.y, c * local.z - s * local.x);
    vec3 n = vec3(c * normal.x + s * normal.z, normal.y, c * normal.z - s * normal.x);
    // Sheared along the slope, so that all of it stands on the land.
    off.y -= dot(plant.normal.xz, off.xz) / plant.normal.y;

    // Gusts run over the land; whole turns per TIME_PERIOD_S and TILE_PERIOD_M, so that they never jump.
    float beat = camera.w * (TURN / TIME_PERIOD_S);
    vec2 world = tile_position(plant.foot.xz) * (TURN / TILE_PERIOD_M);
    float gust = 0.5 + 0.5 * sin(beat * 190.0 - dot(world, vec2(118.0, 71.0)));
    float sway = sin(beat * 389.0 - dot(world, vec2(320.0, 190.0)) + 2.0 * plant.look.y);
    float quiver = sin(beat * 977.0 + 40.0 * plant.look.y + 9.0 * position.x);
    float stiff = KIND == SHRUB ? 0.10 : 0.42;
    float bend = colour.a * colour.a * size * stiff * (0.10 + 0.42 * gust + 0.22 * sway * (0.4 + gust) + 0.06 * quiver);
    vec2 wind = normalize(vec2(1.0, 0.6));
    off.xz += wind * (0.36 * bend);
    off.y -= 0.30 * bend * bend / max(size, 0.05);

    vec3 at = round_earth(plant.foot + off);
    gl_Position = view_projection * vec4(at, 1.0);

    // Blades thinner than a pixel are seen as their mean, or they would flicker.
    float pixel_m = near * 2.0 * length(ray_up.xyz) * viewport.w;
    float blurred = KIND == SHRUB ? 0.0 : smoothstep(0.015, 0.08, pixel_m);
    float light = mix(colour.r, 0.42, blurred);
    vec3 green = plant.turf * (0.84 + 0.34 * plant.look.y);
    if (KIND == SHRUB) green = leaf_colour(LEAF, plant.look.y, 1.0);
    vec3 albedo = green * (0.22 + 1.55 * light);
    if (KIND == FLOWER) {
        int which = int(plant.flowers * 4.999);
        if (plant.look.z < 0.22) which = (which + 1) % 5;
        albedo = mix(albedo, FLOWERS[which] * (0.62 + 0.38 * light), colour.g * (1.0 - 0.6 * blurred));
    }
    // Lit as the land it stands on, more than as blades.
    vec3 facing = normalize(plant.normal * (KIND == SHRUB ? 0.5 : 2.2 + 6.0 * blurred) + n);
    // Crowns overhead take most of the light.
    float open_sky = (0.55 + 0.45 * light) * (1.0 - 0.4 * plant.wood);
    float sunny = cloud_shade(plant.foot) * mountain_light(plant.foot) * (1.0 - 0.55 * plant.wood);
    vec3 lit = light_foliage(albedo, facing, sunny, open_sky);
    float distance_m = length(at);
    vec3 through = haze_transmittance(at, distance_m);
    v_colour = lit * through;
    v_air = sky_colour(at / max(distance_m, 1e-3)) * (1.0 - through);
}
