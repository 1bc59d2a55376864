package dev.ideindex.plugin.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The arguments of a call. A wanted one that is missing or of another kind is an {@code internal} error that names it. */
public final class Arguments {
    private final Map<?, ?> fields;

    public Arguments(Map<?, ?> fields) {
        this.fields = fields;
    }

    /** @throws HostException when the bytes are no JSON object */
    public static Arguments parse(byte[] utf8) throws HostException {
        try {
            if (utf8 == null || utf8.length == 0) {
                return new Arguments(Map.of());
            }
            if (Json.parse(utf8) instanceof Map<?, ?> fields) {
                return new Arguments(fields);
            }
        } catch (IllegalArgumentException e) {
            throw new HostException(HostException.INTERNAL, e.getMessage(), e);
        }
        throw new HostException(HostException.INTERNAL, "arguments must be an object");
    }

    public boolean has(String name) {
        return fields.get(name) != null;
    }

    public String text(String name) throws HostException {
        if (fields.get(name) instanceof String value) {
            return value;
        }
        throw missing(name, "text");
    }

    public String text(String name, String otherwise) throws HostException {
        return has(name) ? text(name) : otherwise;
    }

    public int number(String name) throws HostException {
        if (fields.get(name) instanceof Number value) {
            return (int) Math.min(Integer.MAX_VALUE, Math.max(Integer.MIN_VALUE, value.longValue()));
        }
        throw missing(name, "a number");
    }

    public int number(String name, int otherwise) throws HostException {
        return has(name) ? number(name) : otherwise;
    }

    public boolean flag(String name) throws HostException {
        if (!has(name)) {
            return false;
        }
        if (fields.get(name) instanceof Boolean value) {
            return value;
        }
        throw missing(name, "true or false");
    }

    /** The texts of a list; empty without it. */
    public List<String> texts(String name) throws HostException {
        List<String> texts = new ArrayList<>();
        for (Object element : list(name)) {
            if (!(element instanceof String)) {
                throw missing(name, "a list of texts");
            }
            texts.add((String) element);
        }
        return texts;
    }

    /** The objects of a list; empty without it. */
    public List<Arguments> objects(String name) throws HostException {
        List<Arguments> objects = new ArrayList<>();
        for (Object element : list(name)) {
            if (!(element instanceof Map<?, ?>)) {
                throw missing(name, "a list of objects");
            }
            objects.add(new Arguments((Map<?, ?>) element));
        }
        return objects;
    }

    private List<?> list(String name) throws HostException {
        if (!has(name)) {
            return List.of();
        }
        if (fields.get(name) instanceof List<?> list) {
            return list;
        }
        throw missing(name, "a list");
    }

    private static HostException missing(String name, String kind) {
        return new HostException(HostException.INTERNAL, "the argument `" + name + "` must be " + kind);
    }
}
