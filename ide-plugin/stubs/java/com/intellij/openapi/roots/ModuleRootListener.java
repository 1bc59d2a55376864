package com.intellij.openapi.roots;

public interface ModuleRootListener extends java.util.EventListener {
    com.intellij.util.messages.Topic<com.intellij.openapi.roots.ModuleRootListener> TOPIC = null;
    default void rootsChanged(com.intellij.openapi.roots.ModuleRootEvent a) { throw new AssertionError(); }
}
