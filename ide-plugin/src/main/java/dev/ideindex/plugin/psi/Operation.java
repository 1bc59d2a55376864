package dev.ideindex.plugin.psi;

import java.util.Map;

/** One operation of {@code HOST.md}. It has no state of its own, so that calls may run at once. */
@FunctionalInterface
interface Operation {
    /** @return the fields of the answer */
    Map<String, Object> run(Call call) throws Exception;
}
