package com.intellij.openapi.module;

public interface Module extends com.intellij.openapi.components.ComponentManager {
}
