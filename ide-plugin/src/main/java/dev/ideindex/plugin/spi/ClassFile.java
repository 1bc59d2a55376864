package dev.ideindex.plugin.spi;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The part of a class file that says which classes and members the class is linked to, and which ones it has. */
public final class ClassFile {
    /** A field or method of a class. Names of classes have slashes. */
    public record Member(String owner, String name, String descriptor, boolean ofInterface) {
        public boolean isMethod() {
            return descriptor.startsWith("(");
        }

        @Override
        public String toString() {
            return owner.replace('/', '.') + "." + name + (isMethod() ? "" : ": ") + descriptor;
        }
    }

    /** A member that the class itself has. */
    public record Declared(int access, String name, String descriptor) {}

    private final int[] first;
    private final int[] second;
    private final byte[] tags;
    private final String[] texts;
    private int access;
    private String name;
    private String superName;
    private final List<String> interfaces = new ArrayList<>();
    private final List<Declared> declared = new ArrayList<>();

    /** @throws IOException when the bytes are no class file */
    public ClassFile(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readInt() != 0xCAFEBABE) {
                throw new IOException("no class file");
            }
            in.skipBytes(4);
            int count = in.readUnsignedShort();
            first = new int[count];
            second = new int[count];
            tags = new byte[count];
            texts = new String[count];
            readPool(in, count);
            readBody(in);
        }
    }

    private void readPool(DataInputStream in, int count) throws IOException {
        for (int i = 1; i < count; i++) {
            tags[i] = in.readByte();
            switch (tags[i]) {
                case 1 -> texts[i] = in.readUTF();
                case 3, 4 -> in.readInt();
                case 5, 6 -> {
                    in.readLong();
                    i++;
                }
                case 7, 8, 16, 19, 20 -> first[i] = in.readUnsignedShort();
                case 9, 10, 11, 12, 17, 18 -> {
                    first[i] = in.readUnsignedShort();
                    second[i] = in.readUnsignedShort();
                }
                case 15 -> {
                    first[i] = in.readUnsignedByte();
                    second[i] = in.readUnsignedShort();
                }
                default -> throw new IOException("unknown constant " + tags[i]);
            }
        }
    }

    private void readBody(DataInputStream in) throws IOException {
        access = in.readUnsignedShort();
        name = className(in.readUnsignedShort());
        int parent = in.readUnsignedShort();
        superName = parent == 0 ? null : className(parent);
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            interfaces.add(className(in.readUnsignedShort()));
        }
        for (int kind = 0; kind < 2; kind++) {
            for (int n = in.readUnsignedShort(); n > 0; n--) {
                int flags = in.readUnsignedShort();
                String member = texts[in.readUnsignedShort()];
                declared.add(new Declared(flags, member, texts[in.readUnsignedShort()]));
                for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                    in.readUnsignedShort();
                    in.skipNBytes(Integer.toUnsignedLong(in.readInt()));
                }
            }
        }
    }

    private String className(int index) {
        return texts[first[index]];
    }

    public int access() {
        return access;
    }

    public boolean isInterface() {
        return (access & 0x0200) != 0;
    }

    public String name() {
        return name;
    }

    /** Null for {@code java/lang/Object}. */
    public String superName() {
        return superName;
    }

    public List<String> interfaces() {
        return interfaces;
    }

    public List<Declared> declared() {
        return declared;
    }

    /** Classes that the class is linked to, also those of arrays and of the types in its own signatures. */
    public Set<String> classes() {
        Set<String> classes = new LinkedHashSet<>();
        for (int i = 1; i < tags.length; i++) {
            if (tags[i] == 7) {
                String type = className(i);
                if (!type.startsWith("[")) {
                    classes.add(type);
                } else {
                    addTypes(type, classes);
                }
            } else if (tags[i] == 12 || tags[i] == 16) {
                addTypes(texts[tags[i] == 12 ? second[i] : first[i]], classes);
            }
        }
        declared.forEach(member -> addTypes(member.descriptor(), classes));
        return classes;
    }

    private static void addTypes(String descriptor, Set<String> classes) {
        for (int i = descriptor.indexOf('L'); i >= 0; i = descriptor.indexOf('L', i)) {
            int end = descriptor.indexOf(';', i);
            if (end < 0) {
                return;
            }
            classes.add(descriptor.substring(i + 1, end));
            i = end;
        }
    }

    /** Fields and methods that the code of the class uses. */
    public List<Member> members() {
        List<Member> members = new ArrayList<>();
        for (int i = 1; i < tags.length; i++) {
            if (tags[i] >= 9 && tags[i] <= 11) {
                int pair = second[i];
                members.add(new Member(className(first[i]), texts[first[pair]], texts[second[pair]], tags[i] == 11));
            }
        }
        return members;
    }
}
