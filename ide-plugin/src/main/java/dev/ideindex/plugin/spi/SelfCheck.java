package dev.ideindex.plugin.spi;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Resolves every class and member of the platform that classes of this plugin are linked to, in the IDE that runs now.
 *
 * <p>The classes themselves are the list: their constant pools say what they need. So the check cannot fall behind the code.
 */
public final class SelfCheck {
    /** A class or member of the platform; {@code because} is null when it is there as the plugin needs it. */
    public record Finding(String member, String because) {
        public boolean ok() {
            return because == null;
        }
    }

    private static final String OWN = "dev/ideindex/plugin/";
    private static final List<String> FOREIGN = List.of("com/intellij/", "org/jetbrains/", "kotlin/");

    private final ClassLoader loader;
    private final Map<String, Finding> known = new LinkedHashMap<>();

    public SelfCheck(ClassLoader loader) {
        this.loader = loader;
    }

    /**
     * What the given classes of the plugin need, and those of its classes that they use in turn.
     *
     * @param beyond classes where the walk ends, with slashes: their needs are not those of {@code roots}
     */
    public synchronized List<Finding> check(List<String> roots, Set<String> beyond) {
        List<Finding> findings = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>(beyond);
        Set<String> reported = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(roots);
        while (!open.isEmpty()) {
            String name = open.remove();
            if (!seen.add(name)) {
                continue;
            }
            ClassFile own = read(name);
            if (own == null) {
                findings.add(new Finding(name.replace('/', '.'), "the plugin has no such class"));
                continue;
            }
            for (String used : own.classes()) {
                if (used.startsWith(OWN)) {
                    open.add(used);
                } else if (isForeign(used) && reported.add(used)) {
                    findings.add(known.computeIfAbsent(used, this::resolveClass));
                }
            }
            for (ClassFile.Member member : own.members()) {
                if (isForeign(member.owner()) && reported.add(member.toString())) {
                    findings.add(known.computeIfAbsent(member.toString(), text -> resolve(member)));
                }
            }
        }
        return findings;
    }

    private static boolean isForeign(String name) {
        return FOREIGN.stream().anyMatch(name::startsWith);
    }

    private ClassFile read(String name) {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            return in == null ? null : new ClassFile(in.readAllBytes());
        } catch (IOException e) {
            return null;
        }
    }

    private Finding resolveClass(String name) {
        String dotted = name.replace('/', '.');
        try {
            Class.forName(dotted, false, loader);
            return new Finding(dotted, null);
        } catch (ClassNotFoundException | LinkageError e) {
            return new Finding(dotted, "there is no such class");
        }
    }

    private Finding resolve(ClassFile.Member member) {
        try {
            Class<?> owner = Class.forName(member.owner().replace('/', '.'), false, loader);
            if (owner.isInterface() != member.ofInterface() && member.isMethod()) {
                return new Finding(member.toString(), owner.isInterface() ? "it is an interface now" : "it is a class now");
            }
            return new Finding(member.toString(), find(owner, member) ? null : "there is no such member");
        } catch (ClassNotFoundException e) {
            return new Finding(member.toString(), "there is no such class");
        } catch (LinkageError e) {
            return new Finding(member.toString(), "its class does not load: " + e);
        }
    }

    private static boolean find(Class<?> owner, ClassFile.Member member) {
        if (member.name().equals("<init>")) {
            return Arrays.stream(owner.getDeclaredConstructors()).anyMatch(c -> isReachable(c.getModifiers())
                    && MethodType.methodType(void.class, c.getParameterTypes()).descriptorString().equals(member.descriptor()));
        }
        Deque<Class<?>> open = new ArrayDeque<>(List.of(owner, Object.class));
        while (!open.isEmpty()) {
            Class<?> type = open.remove();
            if (has(type, member)) {
                return true;
            }
            if (type.getSuperclass() != null) {
                open.add(type.getSuperclass());
            }
            open.addAll(List.of(type.getInterfaces()));
        }
        return false;
    }

    private static boolean has(Class<?> type, ClassFile.Member member) {
        if (!member.isMethod()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(member.name()) && field.getType().descriptorString().equals(member.descriptor())) {
                    return isReachable(field.getModifiers());
                }
            }
            return false;
        }
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(member.name()) && MethodType.methodType(method.getReturnType(),
                    method.getParameterTypes()).descriptorString().equals(member.descriptor())) {
                return isReachable(method.getModifiers());
            }
        }
        return false;
    }

    private static boolean isReachable(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}
