#include "frame.glsl"

uniform sampler2D shade_tops;  // land below this lies in a mountain's shadow: r now, g before the light turned

// Share of the light that no mountain keeps from the camera-relative `place` of the flat land.
float mountain_light(vec3 place) {
    vec2 uv = ((place.xz - shade.xy) * shade.z + 0.5) / SHADE_SIDE;
    vec2 deep = textureLod(shade_tops, uv, 0.0).rg - (place.y + camera.y);
    // The samples are far apart, and the sun is no point: the edge is as soft as they are coarse.
    vec2 hidden = clamp((deep - SHADE_FROM_M) / (SHADE_FULL_M - SHADE_FROM_M), 0.0, 1.0);
    vec2 rim = abs(uv - 0.5);
    float inside = clamp((0.5 - max(rim.x, rim.y)) * 16.0, 0.0, 1.0);
    return 1.0 - inside * mix(hidden.g, hidden.r, shade.w);
}
