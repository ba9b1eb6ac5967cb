// A far tree: a quad that faces the eye and shows the atlas layer nearest to the direction it is seen from.
#include "frame.glsl"
#include "atmosphere.glsl"
#include "foliage.glsl"

layout(location = 0) in vec4 place;  // foot relative to the camera, scale
layout(location = 1) in vec4 look;   // yaw, tint, fade, width

uniform vec2 size;         // height and radius at scale 1
uniform float broadleaved;
uniform int first_layer;   // of this kind
uniform vec3 elevations;   // radians between which the next row of the atlas is nearer

out vec2 v_uv;
flat out vec3 v_right;
flat out vec3 v_up;
flat out vec3 v_toward;
flat out float v_tint;
flat out float v_broadleaved;
flat out float v_snow;
flat out vec3 v_through;
flat out vec3 v_air;
flat out float v_fade;
flat out float v_shade;
flat out int v_layer;

const vec2 CORNERS[6] = vec2[6](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
const float QUARTER = 1.5707963267948966;

void main() {
    vec2 corner = CORNERS[gl_VertexID];
    float height = size.x * place.w;
    float radius = size.y * place.w;
    vec3 centre = place.xyz + vec3(0.0, 0.5 * height, 0.0);
    vec3 toward = normalize(-centre);
    float level = max(length(toward.xz), 1e-4);
    v_right = vec3(toward.z, 0.0, -toward.x) / level;
    v_up = cross(toward, v_right);
    v_toward = toward;
    float tall = 0.5 * height * level + radius * abs(toward.y);

    // Each tree changes rows at an angle of its own, so that a forest does not change all at once.
    float elevation = asin(clamp(toward.y, 0.0, 1.0)) + 0.16 * (look.y - 0.5);
    int row = int(elevation > elevations.x) + int(elevation > elevations.y) + int(elevation > elevations.z);
    int column = int(floor((atan(toward.x, toward.z) - look.x) / QUARTER + 0.5)) & (ATLAS_AZIMUTHS - 1);
    v_layer = first_layer + row * ATLAS_AZIMUTHS + column;

    vec3 at = centre + v_right * (corner.x * radius * look.w) + v_up * (corner.y * tall);
    v_uv = vec2(0.5 + 0.5 * corner.x, 0.5 - 0.5 * corner.y);
    gl_Position = view_projection * vec4(at, 1.0);

    float distance_m = length(centre);
    v_through = haze_transmittance(centre, distance_m);
    v_air = sky_colour(centre / distance_m) * (1.0 - v_through);
    v_tint = look.y;
    v_broadleaved = broadleaved;
    v_snow = snow_on(place.xyz, vec3(0.0, 1.0, 0.0), look.y);
    v_shade = cloud_shade(place.xyz);
    v_fade = look.z;
}
