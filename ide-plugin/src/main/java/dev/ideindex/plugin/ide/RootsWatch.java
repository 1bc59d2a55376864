package dev.ideindex.plugin.ide;

import com.intellij.openapi.roots.ModuleRootEvent;
import com.intellij.openapi.roots.ModuleRootListener;
import com.intellij.util.messages.MessageBusConnection;

/** Hears of changed modules and libraries. In a class of its own, because the topic has moved before. */
final class RootsWatch {
    private RootsWatch() {}

    static void subscribe(MessageBusConnection connection, Runnable changed) {
        connection.subscribe(ModuleRootListener.TOPIC, new ModuleRootListener() {
            @Override
            public void rootsChanged(ModuleRootEvent event) {
                changed.run();
            }
        });
    }
}
