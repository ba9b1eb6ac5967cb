#include "frame.glsl"
#include "atmosphere.glsl"
#include "lighting.glsl"
#include "tile.glsl"

// Rain on the land: darker, glossier ground, puddles, and streams as wide as what they carry. The lines' field says how
// far the middle of the nearest stream is, the state's how much runs there; see game/kernels/channels.py and runoff.py.
uniform sampler2D runoff_lines;
uniform sampler2D runoff_state;
uniform sampler2D runoff_lines_old;
uniform sampler2D runoff_state_old;
uniform vec4 runoff_window;      // corner x, z relative to the camera; 1 / side; share that shows
uniform vec4 runoff_window_old;
uniform vec2 rainfall;           // wetness 0…1, rain 0…1 (of 100 mm/h)

struct Stream {
    float cover;  // share of the pixel that is water
    float damp;   // wet bank 0…1
    float depth;  // 0 at the edge … 1 in the middle of a stream a metre wide
    vec2 flow;    // direction on the map
    float width;  // metres
};

struct Wet {
    Stream stream;
    float puddle;
    vec2 ring;    // slope of the rings that drops make
};

const vec3 MURK = vec3(0.072, 0.074, 0.056);

Stream stream_in(sampler2D lines, sampler2D state, vec4 window, vec2 place, float pixel_m) {
    Stream none = Stream(0.0, 0.0, 0.0, vec2(0.0), 0.0);
    vec2 local = place - window.xy;
    vec2 uv = local * window.z;
    vec2 inside = min(uv, 1.0 - uv);
    float rim = min(inside.x, inside.y);
    if (window.w <= 0.0 || rim <= 0.0) return none;
    vec4 line = texture(lines, uv);
    if (line.a <= 0.0) return none;
    vec2 offset = (line.rg * 2.0 - 1.0) * LINE_REACH_M;
    // Between two lines offsets point to either side and cancel; their length does not.
    float away = max(length(offset), line.b * LINE_REACH_M - 0.8);
    vec4 at_line = texture(state, ((local + offset) * CELL_1_M + 0.5) * CELLS_1);
    vec4 here = texture(state, (local * CELL_1_M + 0.5) * CELLS_1);
    float discharge = at_line.r * at_line.r * RATE_SCALE_M_S * exp2(line.a * LINE_AREA_STEPS) * CELL_M2;
    float width = WIDTH_PER_ROOT * sqrt(discharge) * window.w;
    // Threads thinner than a hand are lost in the grass.
    // What rained outside of the window does not come in, and nothing is drawn there: towards the border streams grow thin
    // over 250 m, each from a distance of its own, so that no line is seen along which they end.
    float own = 0.05 * fract(7.13 * line.a + 3.7 * here.r);
    float reach = max(0.5 * width - 0.05, 0.0) * smoothstep(0.0, 1.0, (rim - own) * RIM_1);
    Stream found;
    found.width = 2.0 * reach;
    // How much of a pixel-wide strip around here lies within the stream.
    float pixel = max(pixel_m, 0.10 + 0.12 * reach);
    found.cover = clamp((min(away + 0.5 * pixel, reach) - max(away - 0.5 * pixel, -reach)) / pixel, 0.0, 1.0);
    found.damp = reach <= 0.0 ? 0.0 : (1.0 - smoothstep(reach, reach * 1.35 + 0.5, away));
    found.depth = clamp((reach - away) * 2.0, 0.0, 1.0);
    found.flow = here.gb * 2.0 - 1.0;
    return found;
}

Stream stream_at(vec2 place, float pixel_m) {
    Stream now = stream_in(runoff_lines, runoff_state, runoff_window, place, pixel_m);
    if (runoff_window_old.w > 0.0) {
        Stream old = stream_in(runoff_lines_old, runoff_state_old, runoff_window_old, place, pixel_m);
        if (old.cover > now.cover || old.damp > now.damp) now = old;
    }
    return now;
}

// Rings of drops: cells of a grid, each with a ring that grows and fades, over and over.
vec2 drop_rings(vec2 world, float strength) {
    vec2 slope = vec2(0.0);
    for (int layer = 0; layer < 2; ++layer) {
        vec2 grid = world * (layer == 0 ? 4.0 : 5.5) + float(layer) * 17.3;
        vec2 cell = floor(grid);
        vec3 q = fract(vec3(mod(cell, 512.0).xyx) * vec3(0.1031, 0.1030, 0.0973));
        q += dot(q, q.yzx + 33.33);
        vec2 chance = fract((q.xx + q.yz) * q.zy);
        float age = fract(camera.w * 1.25 + chance.x * 7.0);
        vec2 from = fract(grid) - 0.3 - 0.4 * chance;
        float away = length(from);
        float ring = away - 0.42 * age;
        float wave = sin(ring * 38.0) * exp(-ring * ring * 160.0) * (1.0 - age) * smoothstep(0.5, 0.35, away);
        slope += from / max(away, 1e-3) * wave * step(chance.y, strength);
    }
    return slope * 0.5;
}

// How wet the land is at camera-relative `place`; `ground_normal` of the mesh, `celsius` of the air.
Wet wet_at(vec3 place, vec3 ground_normal, float celsius, float distance_m, float pixel_m) {
    Wet found = Wet(Stream(0.0, 0.0, 0.0, vec2(0.0), 0.0), 0.0, vec2(0.0));
    float thaw = smoothstep(-2.5, -0.5, celsius);
    if (rainfall.x <= 0.0 && runoff_window.w <= 0.0) return found;
    vec2 world = tile_position(place.xz);
    float level = smoothstep(0.962, 0.994, ground_normal.y);
    if (level > 0.0 && distance_m < 160.0 && rainfall.x > 0.3) {
        float broad = texture(noise_tile, tile_uv(world, vec2(-27.0, 58.0))).g;
        float fine = texture(noise_tile, tile_uv(world, vec2(412.0, 287.0))).r;
        float hollow = 0.5 * broad + 0.5 * fine;
        float brim = 0.73 - 0.15 * rainfall.x * level;
        found.puddle = smoothstep(brim, brim + 0.025, hollow) * smoothstep(0.3, 0.7, rainfall.x) * level;
        found.puddle *= thaw * (1.0 - smoothstep(90.0, 160.0, distance_m));
    }
    if (runoff_window.w > 0.0 || runoff_window_old.w > 0.0) {
        // A wobble finer than the lines' texels.
        vec2 wobble = 0.5 * (texture(noise_tile, tile_uv(world, vec2(412.0, 287.0))).ba - 0.5);
        wobble += 0.16 * (texture(noise_tile, tile_uv(world, vec2(-1700.0, 1100.0))).ba - 0.5);
        wobble += 1.1 * (texture(noise_tile, tile_uv(world, vec2(-127.0, 98.0))).ba - 0.5);
        found.stream = stream_at(place.xz + wobble, pixel_m);
        // No puddles under a pond.
        if (found.puddle > 0.0 && runoff_window.w > 0.0) {
            vec2 local = place.xz - runoff_window.xy;
            found.puddle *= 1.0 - smoothstep(0.0, 0.1, texture(runoff_state, (local * CELL_1_M + 0.5) * CELLS_1).a);
        }
    }
    float water = max(found.puddle, found.stream.cover);
    if (water > 0.0 && rainfall.y > 0.0 && distance_m < 30.0) {
        found.ring = drop_rings(world, rainfall.y * 2.0 + 0.15) * (1.0 - smoothstep(12.0, 30.0, distance_m));
    }
    return found;
}

// Share by which wet ground is darker; snow is not.
float wet_dark(Wet wet, vec3 albedo, float celsius) {
    float bright = dot(albedo, vec3(0.333));
    float soaks = smoothstep(-2.5, -0.5, celsius) * (1.0 - smoothstep(0.62, 0.76, bright));
    return 1.0 - soaks * max(0.36 * rainfall.x, 0.52 * wet.stream.damp);
}

// `colour` of the lit ground with the water on it. `eye` points to the viewer.
vec3 water_on_land(vec3 colour, Wet wet, vec3 place, vec3 ground_normal, vec3 eye, float shade, float distance_m) {
    float cover = max(wet.stream.cover, wet.puddle);
    if (cover <= 0.0) return colour;
    vec2 world = tile_position(place.xz);
    bool runs = wet.stream.cover >= wet.puddle;
    vec2 ripple = wet.ring;
    float foam = 0.0;
    if (runs) {
        // Flow: two copies of the waves, carried along and faded in turn so that neither is stretched.
        float steep = 1.0 - ground_normal.y;
        vec2 way = wet.stream.flow * (1.0 + 3.0 * smoothstep(0.0, 0.25, steep));
        float first = fract(camera.w);
        float second = fract(camera.w + 0.5);
        float swap = abs(2.0 * first - 1.0);
        const vec2 SMALL = vec2(-1700.0, 1100.0);
        vec4 a = texture(noise_tile, tile_uv(world - way * first, SMALL));
        vec4 b = texture(noise_tile, tile_uv(world - way * second + 0.37, SMALL));
        // A second, wider set across the first hides its rows.
        const vec2 LARGE = vec2(387.0, -842.0);
        vec4 broad = mix(
            texture(noise_tile, tile_uv(world - way * first, LARGE)),
            texture(noise_tile, tile_uv(world - way * second + 1.9, LARGE)),
            swap
        );
        vec4 waves = mix(a, b, swap);
        waves.r = 0.55 * waves.r + 0.45 * broad.r;
        float near = 1.0 - smoothstep(20.0, 120.0, distance_m);
        ripple += tile_slope(waves, SMALL) * near * (0.20 + 0.50 * smoothstep(0.0, 0.2, steep));
        ripple += tile_slope(broad, LARGE) * near * 0.36;
        float rough = smoothstep(0.015, 0.16, steep) * smoothstep(0.25, 1.2, wet.stream.width);
        // From afar the flecks are a mean of white and dark.
        foam = mix(0.28, smoothstep(0.66 - 0.14 * rough, 0.90 - 0.12 * rough, waves.r), near) * rough;
    }
    vec3 plane = runs ? ground_normal : vec3(0.0, 1.0, 0.0);
    vec3 normal = normalize(plane + vec3(ripple.x, 0.0, ripple.y));
    float facing = clamp(dot(normal, eye), 0.0, 1.0);
    // Rough water shows more sky than a flat mirror would.
    float fresnel = 0.05 + 0.95 * pow(1.0 - facing, runs ? 3.6 : 4.4);
    vec3 mirrored = reflect(-eye, normal);
    mirrored.y = abs(mirrored.y);
    // Hills stand around: low rays find land, not sky.
    vec3 reflection = sky_colour(mirrored) * mix(0.45, 1.0, smoothstep(0.02, 0.22, mirrored.y));
    float glint = max(dot(mirrored, light_direction.xyz), 0.0);
    reflection += light_colour.rgb * shade * (pow(glint, 400.0) * 3.0 + pow(glint, 60.0) * 0.12);
    float murk = runs ? 0.30 + 0.55 * wet.stream.depth : 0.45;
    vec3 body = mix(colour * 0.62, light_surface(MURK, vec3(0.0, 1.0, 0.0), shade, 1.0), murk);
    vec3 water = body * (1.0 - fresnel) + reflection * fresnel;
    water = mix(water, light_surface(vec3(0.62), vec3(0.0, 1.0, 0.0), shade, 1.0), 0.75 * foam);
    return mix(colour, water, cover);
}
