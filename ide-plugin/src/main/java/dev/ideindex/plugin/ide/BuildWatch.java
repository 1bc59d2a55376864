package dev.ideindex.plugin.ide;

import com.intellij.openapi.compiler.CompilationStatusListener;
import com.intellij.openapi.compiler.CompileContext;
import com.intellij.openapi.compiler.CompilerTopics;
import com.intellij.util.messages.MessageBusConnection;

/** Hears of finished builds. Loaded only where the Java plugin is. */
final class BuildWatch {
    /** Hears how many errors and warnings a build had. */
    interface Finished {
        void with(int errors, int warnings);
    }

    private BuildWatch() {}

    static void subscribe(MessageBusConnection connection, Finished finished) {
        connection.subscribe(CompilerTopics.COMPILATION_STATUS, new CompilationStatusListener() {
            @Override
            public void compilationFinished(boolean aborted, int errors, int warnings, CompileContext context) {
                if (!aborted) {
                    finished.with(errors, warnings);
                }
            }
        });
    }
}
