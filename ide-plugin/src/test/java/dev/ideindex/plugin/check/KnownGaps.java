package dev.ideindex.plugin.check;

import java.util.List;

/** Members that came after the platform 183; all of them stand in {@code Modern}, which is not used there. */
final class KnownGaps {
    private static final List<String> AFTER_183 = List.of("com.intellij.openapi.application.NonBlockingReadAction.",
            "com.intellij.openapi.application.ReadAction.nonBlocking");

    private KnownGaps() {}

    static boolean of183(String member) {
        return AFTER_183.stream().anyMatch(member::startsWith);
    }
}
