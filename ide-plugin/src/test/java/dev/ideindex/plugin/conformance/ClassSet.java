package dev.ideindex.plugin.conformance;

import dev.ideindex.plugin.spi.ClassFile;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Real classes, read from folders and jars, never loaded. */
final class ClassSet {
    private final List<Path> folders = new ArrayList<>();
    private final List<ZipFile> jars = new ArrayList<>();
    private final Map<String, ClassFile> known = new HashMap<>();

    ClassSet(String classPath) throws IOException {
        for (String part : classPath.split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(part))) {
                folders.add(Path.of(part));
            } else if (Files.isRegularFile(Path.of(part))) {
                jars.add(new ZipFile(part));
            }
        }
    }

    /** Null when no part of the set has the class. */
    ClassFile find(String name) throws IOException {
        if (!known.containsKey(name)) {
            byte[] bytes = bytes(name + ".class");
            known.put(name, bytes == null ? null : new ClassFile(bytes));
        }
        return known.get(name);
    }

    private byte[] bytes(String path) throws IOException {
        for (Path folder : folders) {
            if (Files.isRegularFile(folder.resolve(path))) {
                return Files.readAllBytes(folder.resolve(path));
            }
        }
        for (ZipFile jar : jars) {
            ZipEntry entry = jar.getEntry(path);
            if (entry != null) {
                try (InputStream in = jar.getInputStream(entry)) {
                    return in.readAllBytes();
                }
            }
        }
        return null;
    }

    /** The member as the class or one of its supertypes has it; null when none does, or when it is private. */
    ClassFile.Declared member(String owner, String name, String descriptor) throws IOException {
        Deque<String> open = new ArrayDeque<>(List.of(owner));
        while (!open.isEmpty()) {
            ClassFile type = find(open.remove());
            if (type == null) {
                continue;
            }
            for (ClassFile.Declared member : type.declared()) {
                boolean reachable = (member.access() & 5) != 0;
                if (reachable && member.name().equals(name) && member.descriptor().equals(descriptor)) {
                    return member;
                }
            }
            if (type.superName() != null && !name.equals("<init>")) {
                open.add(type.superName());
            }
            open.addAll(type.interfaces());
        }
        return isOfObject(owner, name, descriptor) ? new ClassFile.Declared(1, name, descriptor) : null;
    }

    private boolean isOfObject(String owner, String name, String descriptor) throws IOException {
        String member = name + descriptor;
        return find(owner) != null && List.of("toString()Ljava/lang/String;", "equals(Ljava/lang/Object;)Z", "hashCode()I",
                "getClass()Ljava/lang/Class;", "getMessage()Ljava/lang/String;", "ordinal()I", "name()Ljava/lang/String;")
                .contains(member);
    }

    /** @param entry {@code a/b/C}, or {@code a/b/C.name descriptor} */
    boolean has(String entry) throws IOException {
        int dot = entry.indexOf('.');
        if (dot < 0) {
            return find(entry) != null;
        }
        int space = entry.indexOf(' ');
        return find(entry.substring(0, dot)) != null
                && member(entry.substring(0, dot), entry.substring(dot + 1, space), entry.substring(space + 1)) != null;
    }
}
