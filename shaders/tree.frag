#include "frame.glsl"
#include "foliage.glsl"

in vec3 v_colour;
in vec3 v_air;
in vec2 v_grain;
flat in float v_rough;
flat in float v_fade;
flat in float v_lost;
in float v_rim;
in vec3 v_at;

uniform vec4 subject;  // what the camera follows, relative to it; w: 1 when it does

// Share of a leaf that is drawn: none on the lens, little of what stands between the camera and what it follows.
float drawn_share() {
    float near = smoothstep(0.6, 2.4, length(v_at));
    float along = dot(v_at, subject.xyz) / max(dot(subject.xyz, subject.xyz), 1e-3);
    float aside = length(v_at - clamp(along, 0.0, 1.0) * subject.xyz);
    float clear = smoothstep(0.7, 1.9, aside) + smoothstep(0.85, 1.1, along) + 1.0 - subject.w;
    return near * min(1.0, 0.06 + clear);
}

layout(location = 0) out vec4 out_colour;

void main() {
    if (faded_out(v_fade, gl_FragCoord.xy) || faded_out(drawn_share(), gl_FragCoord.xy)) discard;
    // Needles and leaves, too small for triangles, hide the triangles there are.
    vec4 noise = texture(noise_tile, v_grain);
    vec4 fine = texture(noise_tile, v_grain * 2.7);
    if (v_lost > 0.0 && smoothstep(0.15, 0.85, 0.5 * noise.g + 0.5 * noise.r) < v_lost) discard;
    // Rims fray, as far as the eye tells needles apart.
    if (0.62 * noise.g + 0.38 * fine.g < 0.60 * smoothstep(0.50, 1.0, v_rim) * v_rough) discard;
    float speck = 0.45 * noise.g + 0.25 * noise.r + 0.30 * fine.g - 0.5;
    vec3 tone = vec3(1.0) + speck * v_rough * vec3(1.9, 1.75, 1.45);
    // Clumps of leaves, where single ones are too small to see.
    float clump = texture(noise_tile, v_grain * 0.31).g - 0.5;
    tone += clump * (v_rim > 0.0 ? 1.5 * (1.0 - v_rough) : 0.0);
    out_colour = vec4(v_colour * tone + v_air, 1.0);
}
