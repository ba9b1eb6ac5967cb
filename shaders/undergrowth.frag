in vec3 v_colour;
in vec3 v_air;

layout(location = 0) out vec4 out_colour;

void main() {
    out_colour = vec4(v_colour + v_air, 1.0);
}
