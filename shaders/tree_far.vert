// A far tree: a quad that faces the eye and shows the atlas layer nearest to the direction it is seen from.
#include "frame.glsl"
#include "atmosphere.glsl"
#include "foliage.glsl"
#include "morph.glsl"
#include "shade.glsl"

layout(location = 0) in ivec4 block;  // page corner x, z in metres from the anchor; first row; rows | level << 8

uniform sampler2D tree_rows;          // two texels a tree: x, height, z, parent height; scale, yaw, kind, rank
// Of each level: inner and outer range, start and stretch of the morph; whether it morphs, shares kept. Then lowest foot,
// far detail from and to, vanishing from; vanishing to, soft ranks.
uniform vec4 tree_rules[2 * LEVELS + 2];
uniform ivec2 climate;                // how warm and how moist it is, in the codes of kernels/scatter.py
uniform vec4 sizes;                   // height and radius at scale 1, of either kind
uniform int far_band;                  // 1 among the land of the far depth band
uniform vec3 elevations;              // radians between which the next row of the atlas is nearer

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

// Outside of every clip volume: the tree is not drawn.
void hide() {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    v_uv = vec2(0.0);
    v_right = v_up = v_toward = v_through = v_air = vec3(0.0);
    v_fade = v_shade = v_tint = v_broadleaved = v_snow = 0.0;
    v_layer = 0;
}

// By the rules of kernels/instances.py, so that each tree is drawn once: here or as a mesh, by this level or another.
void main() {
    int row = block.z + gl_InstanceID % BLOCK;
    ivec2 texel = ivec2(row % LINE_ROWS * 2, row / LINE_ROWS);
    vec4 a = texelFetch(tree_rows, texel, 0), b = texelFetch(tree_rows, texel + ivec2(1, 0), 0);
    int level = block.w >> 8;
    vec4 reach = tree_rules[2 * level], shares = tree_rules[2 * level + 1];
    vec4 shown = tree_rules[2 * LEVELS], ends = tree_rules[2 * LEVELS + 1];
    // Whole and 1/64 metres add up exactly, so every level's page has the same bits here.
    vec2 place = vec2(block.xy) + a.xz - camera.xz;
    float distance2 = dot(place, place);
    float far = sqrt(distance2 + altitude * altitude);
    float keep = mix(shares.y, shares.z, clamp(2.0 * (far - reach.x) / (reach.y - reach.x) - 1.0, 0.0, 1.0));
    if (far > shown.w) keep *= max((ends.x - far) / (ends.x - shown.w), 0.0);
    float k = shares.x < 0.5 ? 0.0 : clamp((far - reach.z) / reach.w, 0.0, 1.0);
    float land = morph_mix(a.y, a.w, k);
    vec3 foot = vec3(place.x, land - camera.y - sea.w * distance2, place.y);
    float eye = length(foot);
    int borne = int(b.z) >> 1;
    if (gl_InstanceID % BLOCK >= (block.w & 255) || far < reach.x || far >= reach.y || b.w >= keep ||
            land < shown.x || eye < shown.y || (borne & (HARDY_CODES - 1)) > climate.x || borne / HARDY_CODES > climate.y) {
        hide();
        return;
    }
    float grown = min((keep - b.w) / ends.y, 1.0);
    float scale = b.x * (0.35 + 0.65 * grown);
    float yaw = b.y, tint = fract(b.w * 61.0);
    // Where forests are thinned the rest grows wider, so that the slope stays as green.
    float width = (0.9 + 0.035 * yaw) * min(1.0 + 0.35 * (1.0 - min(keep, 1.0)), 1.3);
    int kind = int(b.z) & 1;
    vec2 size = kind == 0 ? sizes.xy : sizes.zw;
    v_fade = eye < shown.z ? -(shown.z - eye) / (shown.z - shown.y) : min(grown * 4.0, 1.0);

    vec2 corner = CORNERS[gl_VertexID];
    float height = size.x * scale;
    float radius = size.y * scale;
    vec3 centre = foot + vec3(0.0, 0.5 * height, 0.0);
    vec3 toward = normalize(-centre);
    float flatness = max(length(toward.xz), 1e-4);
    v_right = vec3(toward.z, 0.0, -toward.x) / flatness;
    v_up = cross(toward, v_right);
    v_toward = toward;
    float tall = 0.5 * height * flatness + radius * abs(toward.y);

    // Each tree changes rows at an angle of its own, so that a forest does not change all at once.
    float elevation = asin(clamp(toward.y, 0.0, 1.0)) + 0.16 * (tint - 0.5);
    int tier = int(elevation > elevations.x) + int(elevation > elevations.y) + int(elevation > elevations.z);
    int column = int(floor((atan(toward.x, toward.z) - yaw) / QUARTER + 0.5)) & (ATLAS_AZIMUTHS - 1);
    v_layer = kind * ATLAS_LAYERS + tier * ATLAS_AZIMUTHS + column;

    vec3 at = centre + v_right * (corner.x * radius * width) + v_up * (corner.y * tall);
    v_uv = vec2(0.5 + 0.5 * corner.x, 0.5 - 0.5 * corner.y);
    gl_Position = (far_band > 0 ? view_projection_far : view_projection) * vec4(at, 1.0);

    float distance_m = length(centre);
    v_through = haze_transmittance(centre, distance_m);
    v_air = sky_colour(centre / distance_m) * (1.0 - v_through);
    v_tint = tint;
    v_broadleaved = float(kind);
    v_snow = snow_on(foot, vec3(0.0, 1.0, 0.0), tint);
    v_shade = cloud_shade(foot) * mountain_light(vec3(foot.x, land - camera.y + 0.5 * height, foot.z));
}
