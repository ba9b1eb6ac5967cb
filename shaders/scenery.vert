// A stone, log, fence or gate: stretched, turned about the vertical, sheared along the land.
#include "frame.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec4 colour;  // sRGB
layout(location = 3) in vec4 place;   // foot relative to the camera, tint 0…1
layout(location = 4) in vec4 axis;    // direction of its length (x, z), rise per metre along it, share that is there
layout(location = 5) in vec4 size;    // stretch along its length, upward, across; how far its tone varies

out vec3 v_place;
out vec3 v_normal;
out vec3 v_albedo;
out vec2 v_grain;

void main() {
    vec3 local = position * size.xyz * axis.w;
    vec3 n = normal.xyz / size.xyz;
    mat3 turn = mat3(vec3(axis.x, 0.0, axis.y), vec3(0.0, 1.0, 0.0), vec3(-axis.y, 0.0, axis.x));
    v_place = place.xyz + turn * local + vec3(0.0, local.x * axis.z, 0.0);
    v_normal = turn * normalize(n);
    vec3 tone = mix(vec3(1.0), vec3(0.82 + 0.36 * place.w, 0.82 + 0.33 * place.w, 0.80 + 0.30 * place.w), size.w);
    v_albedo = pow(colour.rgb, vec3(2.2)) * tone;
    v_grain = vec2(local.x + 0.6 * local.z, local.y - 0.7 * local.z) * 0.45 + 7.0 * place.w;
    gl_Position = view_projection * vec4(v_place, 1.0);
}
