#include "frame.glsl"
#include "ground_colours.glsl"
#include "tile.glsl"

// Where a point of the land lies: the noise around it, and its climate in this season.

struct Noise {
    vec2 world;                          // tile position
    vec4 huge, wide, broad, middle, fine;  // each scale as far as its repeats cannot be seen, then the next larger one
    vec4 own_wide, own_broad, own_middle;  // each scale by itself
    float near;    // 1 within reach of the finest scale … 0
    float afar;    // 0 up close … 1 where crowns are seen instead of the forest's floor
    float grain, rough, patchy;
};

struct Site {
    float above;    // metres over zero
    float steep;    // 0 level … 1 a wall
    float yearly;   // °C: deserts and forests go by it
    float celsius;  // °C of the season: turf and snow go by it
    float humid;
    float bed;      // share of the bed of the sea as the world was made: nothing has grown there
    float arid;
};

Noise noise_at(vec2 place, float distance_m) {
    Noise n;
    n.world = tile_position(place);
    // Bending each scale by the next larger one breaks the rows in which a tile repeats, and each scale gives
    // way to the next before the eye can see enough repeats to find them. Bent further, the bends themselves show.
    n.huge = texture(noise_tile, tile_uv(n.world, HUGE));
    n.own_wide = texture(noise_tile, tile_uv(n.world, WIDE) + 0.22 * (n.huge.ba - 0.5));
    vec2 bend = n.own_wide.ba - 0.5;
    n.own_broad = texture(noise_tile, tile_uv(n.world, BROAD) + 0.20 * bend);
    n.wide = mix(n.own_wide, n.huge, 0.2 + 0.8 * smoothstep(3000.0, 9000.0, distance_m));
    n.broad = mix(n.own_broad, n.wide, smoothstep(1200.0, 4200.0, distance_m));
#if FAR_BAND > 0
    // The far band begins beyond the range of three levels, where the middle scale has given way.
    n.own_middle = n.own_broad;
    n.middle = n.broad;
    n.fine = n.broad;
#else
    n.own_middle = texture(noise_tile, tile_uv(n.world, MIDDLE) + 0.16 * bend + 0.14 * (n.own_broad.ba - 0.5));
    n.middle = mix(n.own_middle, n.broad, 0.25 + 0.75 * smoothstep(120.0, 360.0, distance_m));
    // Without it the texels of the middle scale would show as a patchwork of rectangles underfoot. Where there is
    // no anisotropic filtering a sharper level is read, or grass blurs a few metres ahead.
    n.fine = texture(noise_tile, tile_uv(n.world, FINE), DETAIL > 0 ? 0.0 : -0.9);
#endif
    n.near = 1.0 - smoothstep(40.0, 190.0, distance_m);
    n.afar = smoothstep(60.0, 520.0, distance_m);
    n.grain = mix(0.5, n.fine.g, n.near);
    n.rough = (n.wide.r - 0.5) * 0.9 + (n.middle.r - 0.5) * 0.7 + (n.grain - 0.5) * 0.5;
    n.patchy = (n.huge.r - 0.5) * 0.5 + (n.broad.r - 0.5) * 0.55 + (n.middle.r - 0.5) * 0.35;
    return n;
}

// The climate is midsummer's.
Site site_at(vec3 place, vec3 normal, vec4 climate, Noise n) {
    Site s;
    s.above = place.y + camera.y;
    s.steep = 1.0 - normal.y;
    s.yearly = climate.r * 60.0 - 20.0 + n.rough * 5.0 + season.z;
    s.celsius = s.yearly + season.x - season.z;
    s.humid = clamp(climate.g + season.y, 0.0, 1.0);
    s.bed = 1.0 - smoothstep(-1.8, 0.5, s.above - waters.w + 1.6 * n.rough);
    s.arid = smoothstep(19.0, 25.0, s.yearly) * (1.0 - smoothstep(0.22, 0.42, s.humid + 0.15 * n.rough));
    return s;
}
