#include "foliage.glsl"

in vec3 v_colour;
flat in float v_fade;

layout(location = 0) out vec4 out_colour;

void main() {
    if (faded_out(v_fade, gl_FragCoord.xy)) discard;
    out_colour = vec4(v_colour, 1.0);
}
