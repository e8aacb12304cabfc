/* detcheck asks, Java's Math or StrictMath answers:
 *
 *     detcheck sweep sin --impl 'exec:java JavaAdapter.java'
 *     detcheck sweep sin --impl 'exec:java JavaAdapter.java java.lang.StrictMath'
 *
 * The word is the name of a class, which may be any on the class path: java -cp FOLDER JavaAdapter.java CLASS. A second
 * word stands before the names of its functions: cr_ for cr_sin. Where the class has a function of floats, fp32 calls
 * that. Where it has one of doubles only, as most of Math's are, that is called for fp32 too, and its result is rounded
 * to fp32 once. */
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;

public class JavaAdapter {
    /* detcheck's names of what Java calls otherwise; and what in Java is something else. */
    private static final Map<String, String> NAMES = Map.of("remainder", "IEEEremainder", "fminimum", "min",
        "fmaximum", "max", "nextup", "nextUp", "nextdown", "nextDown", "round", "");
    private static final int OPERANDS = 3;

    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private static MethodHandle chosen;

    /* Its handle is a constant to the compiler at run time, which calls the function as it would a plain name. */
    private static class Constant {
        static final MethodHandle FUNCTION = chosen;
    }

    private ByteBuffer take(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count)
            System.exit(0); /* detcheck has seen enough */
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer room(int count) {
        return ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] letters(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private String name(ByteBuffer header, int at) {
        return new String(header.array(), at, 32, StandardCharsets.US_ASCII).replaceAll("\0.*", "");
    }

    /* The function of a class for so many numbers of a type; null where there is none. */
    private static MethodHandle find(Class<?> place, String name, Class<?> type, int operands) {
        MethodType wanted = MethodType.methodType(type, Collections.nCopies(operands, type));
        try {
            return MethodHandles.publicLookup().findStatic(place, name, wanted);
        } catch (ReflectiveOperationException none) {
            return null;
        }
    }

    /* The same with three operands, of which the last are left aside, and with a type of fp32's or fp64's. */
    private static MethodHandle adapted(MethodHandle handle, Class<?> type, int operands) {
        for (int i = operands; i < OPERANDS; i++)
            handle = MethodHandles.dropArguments(handle, i, type);
        return MethodHandles.explicitCastArguments(handle,
            MethodType.methodType(type, Collections.nCopies(OPERANDS, type)));
    }

    private void compute(boolean wide, int count, ByteBuffer[] x, ByteBuffer z) throws Throwable {
        for (int i = 0; i < count; i++)
            if (wide)
                z.putDouble((double)Constant.FUNCTION.invokeExact(x[0].getDouble(8 * i), x[1].getDouble(8 * i),
                                                                  x[2].getDouble(8 * i)));
            else
                z.putFloat((float)Constant.FUNCTION.invokeExact(x[0].getFloat(4 * i), x[1].getFloat(4 * i),
                                                                x[2].getFloat(4 * i)));
    }

    private ByteBuffer range(int count, long first, boolean wide) {
        ByteBuffer codes = room((wide ? 8 : 4) * count);
        for (int i = 0; i < count; i++)
            if (wide)
                codes.putLong(first + i);
            else
                codes.putInt((int)first + i);
        return codes;
    }

    private void answer(int operands, boolean wide) throws Throwable {
        ByteBuffer head = take(16);
        int kind = head.getInt(0), count = head.getInt(4), bytes = (wide ? 8 : 4) * count;
        ByteBuffer[] x = new ByteBuffer[OPERANDS];
        for (int i = 0; i < OPERANDS; i++)
            x[i] = i >= operands ? x[0] : kind == 1 ? range(count, head.getLong(8), wide) : take(bytes);
        ByteBuffer z = room(12 + bytes).put(letters("answ")).putInt(count);
        compute(wide, count, x, z);
        out.write(z.put(letters("done")).array());
        out.flush();
    }

    private void serve(String place, String before) throws Throwable {
        ByteBuffer header = take(8);
        if (!new String(header.array(), StandardCharsets.ISO_8859_1).equals("detcheck")) {
            System.err.println("this program is for 'detcheck sweep ... --impl exec:COMMAND'");
            System.exit(1);
        }
        header = take(152);
        int operands = header.getInt(4);
        String operation = name(header, 24), format = name(header, 56), rounding = name(header, 120);
        String parameters = new String(take(header.getInt(20)).array(), StandardCharsets.US_ASCII);
        boolean wide = format.equals("fp64"), known = (wide || format.equals("fp32")) && operands <= OPERANDS
            && format.equals(name(header, 88)) && rounding.equals("nearest-even") && !parameters.startsWith("arrays=");
        String called = before + NAMES.getOrDefault(operation, operation), why = "";
        MethodHandle handle = null;
        Class<?> type = wide ? double.class : float.class;
        try {
            handle = known ? find(Class.forName(place), called, type, operands) : null;
            if (handle == null && known && !wide) {
                handle = find(Class.forName(place), called, double.class, operands);
                why = ", rounded once from fp64";
            }
        } catch (ClassNotFoundException none) {
            why = ": there is no class " + place;
        }
        /* Casts stand for what is rounded: that of each operand is exact. */
        chosen = handle == null ? null
            : adapted(MethodHandles.explicitCastArguments(handle,
                      MethodType.methodType(type, Collections.nCopies(operands, type))), type, operands);
        byte[] text = letters(handle == null ? "JavaAdapter has no " + operation + " in " + format + ", " + rounding + why
            : place + " of Java " + System.getProperty("java.version") + ", " + System.getProperty("java.vm.name") + why);
        out.write(room(16).put(letters("detreply")).putInt(handle == null ? 1 : 0).putInt(text.length).array());
        out.write(text);
        out.flush();
        while (handle != null)
            answer(operands, wide);
    }

    public static void main(String[] words) throws Throwable {
        new JavaAdapter().serve(words.length > 0 ? words[0] : "java.lang.Math", words.length > 1 ? words[1] : "");
    }
}
