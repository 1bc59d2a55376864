package dev.ideindex.plugin.lang;

import com.intellij.psi.PsiElement;
import dev.ideindex.plugin.spi.HostException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Calls of plugins whose classes are not always there, and move between their releases. What cannot be found or called is an
 * {@code unsupported} error that names it.
 */
final class Reflection {
    private Reflection() {}

    /** Whether the object is of the class, which need not exist. */
    static boolean is(Object object, String className) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(className) || hasInterface(type, className)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasInterface(Class<?> type, String className) {
        for (Class<?> parent : type.getInterfaces()) {
            if (parent.getName().equals(className) || hasInterface(parent, className)) {
                return true;
            }
        }
        return false;
    }

    /** Calls the public method of that name which takes these arguments; of the class where {@code receiver} is null. */
    static Object call(String className, Object receiver, String name, Object... arguments) throws HostException {
        try {
            Class<?> type = Class.forName(className, true, Reflection.class.getClassLoader());
            for (Method method : type.getMethods()) {
                if (method.getName().equals(name) && takes(method, arguments)) {
                    return method.invoke(receiver, arguments);
                }
            }
            throw new HostException(HostException.UNSUPPORTED, className + "." + name + " is not there");
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new HostException(HostException.UNSUPPORTED, className + "." + name + ": " + e.getCause(), e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new HostException(HostException.UNSUPPORTED, className + "." + name + ": " + e, e);
        }
    }

    private static boolean takes(Method method, Object[] arguments) {
        Class<?>[] types = method.getParameterTypes();
        if (types.length != arguments.length) {
            return false;
        }
        for (int i = 0; i < types.length; i++) {
            boolean fits = arguments[i] == null || types[i].isInstance(arguments[i])
                    || types[i] == boolean.class && arguments[i] instanceof Boolean;
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /** The elements of an array or a collection. */
    static Collection<PsiElement> elements(Object found) {
        Collection<?> all = found instanceof Object[] array ? Arrays.asList(array) : found instanceof Collection<?> many ? many : List.of();
        List<PsiElement> elements = new ArrayList<>();
        for (Object one : all) {
            if (one instanceof PsiElement element) {
                elements.add(element);
            }
        }
        return elements;
    }
}
