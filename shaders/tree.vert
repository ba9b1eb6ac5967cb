// A near or middle tree: turned, scaled, bent by the wind, lit per vertex (its triangles are small).
#include "frame.glsl"
#include "atmosphere.glsl"
#include "foliage.glsl"
#include "shade.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec4 colour;  // sRGB; a: how freely it moves
layout(location = 3) in vec4 place;   // foot relative to the camera, scale
layout(location = 4) in vec4 look;    // yaw, tint, fade, width

uniform float broadleaved;

out vec3 v_colour;
out vec3 v_air;
out vec2 v_grain;       // where in the noise the needles or leaves are
flat out float v_rough; // how much of that shows
flat out float v_fade;
flat out float v_lost; // share of the leaves that have fallen; below zero on bark
out float v_rim;        // how near the edge of a branch or a spray of leaves, 0…1
out vec3 v_at;

const float TURN = 6.283185307179586;

void main() {
    float c = cos(look.x), s = sin(look.x);
    vec3 local = position * vec3(look.w, 1.0, look.w);
    vec3 offset = vec3(c * local.x + s * local.z, local.y, c * local.z - s * local.x) * place.w;
    vec3 n = normal.xyz / vec3(look.w, 1.0, look.w);
    n = normalize(vec3(c * n.x + s * n.z, n.y, c * n.z - s * n.x));

    // Whole turns per TIME_PERIOD_S, so that the wind does not jump where time wraps. The phase is the tree's.
    float beat = camera.w * (TURN / TIME_PERIOD_S);
    float phase = look.x * 5.0 + look.y * TURN;
    float gust = 0.6 + 0.4 * sin(beat * 71.0 + phase * 0.3);
    float sway = sin(beat * 233.0 + phase) * gust;
    float flutter = sin(beat * 611.0 + phase + position.x * 2.1 + position.z * 1.7 + position.y);
    float bend = 0.0011 * position.y * position.y * sway;
    offset.xz += vec2(bend, 0.6 * bend) + colour.a * 0.045 * flutter * normalize(vec2(1.0, 0.6)) * gust;
    offset.y += colour.a * 0.03 * flutter;

    vec3 at = place.xyz + offset;
    gl_Position = view_projection * vec4(at, 1.0);
    bool bark = colour.a == 0.0;
    vec3 albedo = pow(colour.rgb, vec3(2.2));
    if (!bark) albedo = leaf_colour(albedo, look.y, broadleaved);
    albedo = mix(albedo, SNOW_ON_LEAVES, snow_on(place.xyz, n, look.y) * (bark ? 0.5 : 0.85));
    // Less of the sky reaches the lower and inner crown.
    float height = clamp(position.y / 9.0, 0.0, 1.0);
    float open_sky = bark ? 0.55 + 0.15 * height : LEAVES_OPEN * (0.62 + 0.38 * height);
    vec3 lit = light_foliage(albedo, n, cloud_shade(place.xyz) * mountain_light(place.xyz), open_sky);
    float distance_m = length(at);
    vec3 through = haze_transmittance(at, distance_m);
    v_colour = lit * through;
    v_air = sky_colour(at / max(distance_m, 1e-3)) * (1.0 - through);
    // Along the bark it is stretched upward, on leaves it is the same all ways.
    v_grain = vec2(position.x + 0.62 * position.z, bark ? 0.12 * position.y : position.y - 0.71 * position.z);
    v_grain = v_grain * (bark ? 0.55 : 0.38) + look.y;
    v_rough = 1.0 - 0.75 * smoothstep(12.0, 80.0, distance_m);
    v_rim = colour.a;
    v_fade = look.z;
    v_lost = bark ? -1.0 : leaves_lost(look.y, broadleaved);
    v_at = at;
}
