// The shadow of a tree: a strip of land from its foot away from the light, laid on the heights of the page that
// draws the land there, a little nearer to the eye so that the mesh does not cut it.
#include "curvature.glsl"
#include "foliage.glsl"
#include "morph.glsl"
#include "normals.glsl"
#include "shade.glsl"

layout(location = 0) in vec2 strip;   // across −1…1, along 0…1
layout(location = 1) in vec4 place;   // foot relative to the camera, scale
layout(location = 2) in vec4 look;    // strength, width, kind, tint
layout(location = 3) in ivec4 page;   // north-west corner in metres from the anchor; layer, level

uniform sampler2DArray page_heights;
uniform vec4 sizes;  // height and radius of a tree of scale 1, of either kind

out vec2 v_where;          // metres across and away from the foot
flat out vec4 v_shape;     // length of the shadow, radius of the crown, where its middle falls, its half length
flat out float v_kept;     // share of the light that is left in the shadow
flat out vec3 v_look;      // strength, kind, tint

const float SHALLOWEST = 0.34;  // slope of the light below which shadows grow no longer
const float TOWARD_EYE = 0.35;

float land_height(vec2 at) {
    float spacing = float(1 << page.w);
    vec2 sample_at = (at + camera.xz - vec2(page.xy)) / spacing;
    vec2 inside = clamp(sample_at, vec2(-float(APRON)), vec2(textureSize(page_heights, 0).xy - APRON) - 1.001);
    vec2 low = floor(inside);
    vec2 share = inside - low;
    ivec3 texel = ivec3(ivec2(low) + APRON, page.z);
    vec2 nw = texelFetch(page_heights, texel, 0).rg;
    vec2 ne = texelFetch(page_heights, texel + ivec3(1, 0, 0), 0).rg;
    vec2 sw = texelFetch(page_heights, texel + ivec3(0, 1, 0), 0).rg;
    vec2 se = texelFetch(page_heights, texel + ivec3(1, 1, 0), 0).rg;
    vec2 own_parent = mix(mix(nw, ne, share.x), mix(sw, se, share.x), share.y);
    // Past the rim of the page the land goes on as it sloped there.
    vec2 slope = mix(vec2(ne.x - nw.x, sw.x - nw.x), vec2(se.x - sw.x, se.x - ne.x), share.yx);
    return mix(own_parent.x, own_parent.y, morph_factor(at, page.w)) + dot(slope, sample_at - inside);
}

void main() {
    float spacing = float(1 << page.w);
    vec2 foot = clamp((place.xz + camera.xz - vec2(page.xy)) / spacing, 0.0, float(textureSize(page_normals, 0).x - 1));
    vec3 normal = unpack_normal(texelFetch(page_normals, ivec3(ivec2(foot) + APRON, page.z), 0).rg);

    bool tall = look.z < 0.5;
    vec2 size = (tall ? sizes.xy : sizes.zw) * place.w;
    float radius = size.y * look.y * (tall ? 0.86 : 0.92);
    vec2 away = -light_direction.xz / max(length(light_direction.xz), 1e-4);
    // A slope that falls away from the light draws the shadow out.
    float rise = light_direction.y / max(length(light_direction.xz), 1e-4);
    float reach = 1.0 / max(rise - dot(normal.xz, away) / normal.y, SHALLOWEST);
    float middle = 0.56 * size.x * reach;
    float half_length = radius * sqrt(1.0 + reach * reach);
    float tip = tall ? size.x * reach : middle + half_length;
    v_shape = vec4(tip, radius, middle, half_length);

    float from = -1.15 * radius;
    v_where = vec2(strip.x * 1.3 * radius, mix(from, tip + 0.6, strip.y));
    vec2 at = place.xz + away * v_where.y + vec2(-away.y, away.x) * v_where.x;
    vec3 here = round_earth(vec3(at.x, land_height(at) - camera.y, at.y));

    vec3 direct = light_colour.rgb * (max(dot(normal, light_direction.xyz), 0.02) * cloud_shade(place.xyz) * mountain_light(place.xyz));
    vec3 ambient = mix(ground_light.rgb, sky_light.rgb, 0.5 + 0.5 * normal.y);
    const vec3 SEEN = vec3(0.30, 0.55, 0.15);
    v_kept = dot(ambient, SEEN) / max(dot(ambient + direct, SEEN), 1e-5);
    v_look = vec3(look.x, look.z, look.w);
    gl_Position = view_projection * vec4(here, 1.0);
    vec4 nearer = view_projection * vec4(here * (1.0 - min(TOWARD_EYE / max(length(here), 0.1), 0.5)), 1.0);
    gl_Position.z = gl_Position.w > 0.0 ? nearer.z / max(nearer.w, 1e-4) * gl_Position.w : gl_Position.z;
}
