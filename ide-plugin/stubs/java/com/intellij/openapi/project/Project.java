package com.intellij.openapi.project;

public interface Project extends com.intellij.openapi.components.ComponentManager {
    java.lang.String getBasePath();
    java.lang.String getName();
    default boolean isDefault() { throw new AssertionError(); }
}
