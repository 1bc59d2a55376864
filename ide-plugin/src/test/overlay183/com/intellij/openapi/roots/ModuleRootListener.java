package com.intellij.openapi.roots;

import com.intellij.util.messages.Topic;
import java.util.EventListener;

/** The interface of the platform 183, with the topic that came later. */
public interface ModuleRootListener extends EventListener {
    Topic<ModuleRootListener> TOPIC = com.intellij.ProjectTopics.PROJECT_ROOTS;

    default void beforeRootsChange(ModuleRootEvent event) {}

    default void rootsChanged(ModuleRootEvent event) {}
}
