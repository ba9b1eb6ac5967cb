#include "frame.glsl"
#include "tile.glsl"

// The surface of the sea; the waves themselves are a table of game/world/waves.py.
struct Swell {
    float height;    // over the level, metres
    vec2 slope;      // along x and z
    float crest;     // how steep the water stands here, 1 where it is about to break
    float variance;  // of the slopes too small for a pixel
};

const float TURN = 6.283185307179586;
// On low the shortest wave is left to the ripples.
const int WAVES_DRAWN = DETAIL > 0 ? WAVES : WAVES - 1;

// Phase of a wave in turns: whole periods in TILE_PERIOD_M and TIME_PERIOD_S.
float wave_phase(vec4 wave, vec2 world) {
    return fract(dot(wave.xy, world) / TILE_PERIOD_M) - fract(wave.z * (camera.w / TIME_PERIOD_S));
}

// Open sea at tile position `world`, of which a pixel covers `pixel_m`; `share` of the height is left in shallows.
Swell swell_at(vec2 world, float share, float pixel_m) {
    vec2 source = world;
#if DETAIL > 0
    // Gerstner: the water here was pushed from `source`. Waves smaller than the pixel push nothing.
    for (int n = 0; n < WAVES; ++n) {
        vec4 wave = waves[n];
        float turns = length(wave.xy);
        float keep = 1.0 - smoothstep(0.2, 0.5, pixel_m * turns / TILE_PERIOD_M);
        if (keep <= 0.0) break;  // they are sorted, long ones first
        source -= wave.xy * (waters.z * share * keep * wave.w * cos(TURN * wave_phase(wave, world)) / turns);
    }
#endif
    Swell swell = Swell(0.0, vec2(0.0), 0.0, 0.0);
    for (int n = 0; n < WAVES; ++n) {
        vec4 wave = waves[n];
        float turns = length(wave.xy);
        float keep = n < WAVES_DRAWN ? 1.0 - smoothstep(0.2, 0.5, pixel_m * turns / TILE_PERIOD_M) : 0.0;
        float high = share * wave.w;
        float steep = turns * (TURN / TILE_PERIOD_M) * high;
        swell.variance += 0.5 * steep * steep * (1.0 - keep * keep);
        if (n >= WAVES_DRAWN || keep <= 0.0) continue;
        float phase = TURN * wave_phase(wave, source);
        vec2 k = wave.xy * (TURN / TILE_PERIOD_M);
        swell.height += keep * high * sin(phase);
        swell.slope += k * (keep * high * cos(phase));
        swell.crest += keep * steep * sin(phase);
    }
    // Drawn together, crests are steeper than their sines.
    swell.slope /= max(1.0 - waters.z * swell.crest, 0.35);
    return swell;
}

// Share of a wave's height that is left over a bed `deep_m` below the level; as in waves.py.
float breaking_share(float deep_m) {
    return 1.0 - exp(-1.3 * max(deep_m, 0.0) / (waters.x + 0.15));
}

// Water that runs up the beach and back, over the level, where the bed is `deep_m` below it (negative: above).
float swash_at(vec2 world, float deep_m) {
    float along = texture(noise_tile, tile_uv(world, vec2(31.0, 17.0))).r;
    float beat = TURN * (fract(131.0 * (camera.w / TIME_PERIOD_S)) + 2.2 * along);
    // Up fast, back slowly.
    float run = sin(beat + 0.55 * cos(beat));
    float near = deep_m <= 0.0 ? 1.0 : exp(-deep_m / (0.35 + 0.6 * waters.x));
    return waters.y * near * (0.35 + 0.65 * run);
}
