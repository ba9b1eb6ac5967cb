// From linear scene light to display: exposure, filmic curve, edge smoothing, sRGB, dither.
#include "frame.glsl"

uniform sampler2D scene;

in vec3 v_ray;
in vec2 v_uv;
layout(location = 0) out vec4 out_colour;

// Source: Krzysztof Narkowicz, "ACES Filmic Tone Mapping Curve" (2016), the fitted rational function.
vec3 filmic(vec3 x) {
    x *= 0.60;
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

vec3 scene_at(vec2 uv) {
    return filmic(texture(scene, uv).rgb * exposure);
}

float luma(vec3 colour) {
    return sqrt(dot(colour, vec3(0.2126, 0.7152, 0.0722)));
}

vec3 to_srgb(vec3 linear) {
    vec3 low = linear * 12.92;
    vec3 high = 1.055 * pow(max(linear, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055;
    return mix(high, low, vec3(lessThan(linear, vec3(0.0031308))));
}

void main() {
    vec3 colour = scene_at(v_uv);
#if SMOOTH_EDGES > 0
    // Average along the edge where the four diagonal neighbours disagree.
    // Source: the idea of Timothy Lottes, "FXAA" (2009), reduced to one direction and two taps.
    vec2 texel = viewport.zw;
    float nw = luma(scene_at(v_uv + vec2(-0.5, 0.5) * texel));
    float ne = luma(scene_at(v_uv + vec2(0.5, 0.5) * texel));
    float sw = luma(scene_at(v_uv + vec2(-0.5, -0.5) * texel));
    float se = luma(scene_at(v_uv + vec2(0.5, -0.5) * texel));
    float here = luma(colour);
    float least = min(here, min(min(nw, ne), min(sw, se)));
    float most = max(here, max(max(nw, ne), max(sw, se)));
    if (most - least > max(0.035, 0.10 * most)) {
        vec2 along = vec2(-((nw + ne) - (sw + se)), (nw + sw) - (ne + se));
        along.x = -along.x;
        along = clamp(along / (min(abs(along.x), abs(along.y)) + 0.02), -3.0, 3.0) * texel;
        vec3 narrow = 0.5 * (scene_at(v_uv - along * 0.1667) + scene_at(v_uv + along * 0.1667));
        vec3 wide = 0.5 * narrow + 0.25 * (scene_at(v_uv - along * 0.5) + scene_at(v_uv + along * 0.5));
        float check = luma(wide);
        colour = check < least || check > most ? narrow : wide;
    }
#endif
    vec2 centred = v_uv - 0.5;
    colour *= 1.0 - 0.28 * dot(centred, centred);
    vec3 shown = to_srgb(colour);
    // Source: Jorge Jimenez, "Next Generation Post Processing in Call of Duty" (2014), interleaved gradient noise.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    out_colour = vec4(shown + (noise - 0.5) / 255.0, 1.0);
}
