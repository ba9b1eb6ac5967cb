// Bicycle and rider in one mesh: each vertex follows the rigid transform of its part.
#include "frame.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec4 colour;  // sRGB; a: number of the part / 255

uniform vec4 parts[PARTS * 3];  // rows of the part's transform to camera-relative world axes

out vec3 v_place;
out vec3 v_normal;
out vec3 v_albedo;
flat out float v_gloss;

void main() {
    int part = int(colour.a * 255.0 + 0.5);
    vec4 x = parts[part * 3], y = parts[part * 3 + 1], z = parts[part * 3 + 2];
    vec4 local = vec4(position, 1.0);
    v_place = vec3(dot(x, local), dot(y, local), dot(z, local));
    v_normal = vec3(dot(x.xyz, normal.xyz), dot(y.xyz, normal.xyz), dot(z.xyz, normal.xyz));
    v_albedo = pow(colour.rgb, vec3(2.2));
    v_gloss = part < MATT_FROM ? 0.45 : (part == HEAD ? 0.3 : 0.04);
    gl_Position = view_projection * vec4(v_place, 1.0);
}
