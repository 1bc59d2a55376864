package com.intellij.openapi.options;

public interface Configurable extends com.intellij.openapi.options.UnnamedConfigurable {
    java.lang.String getDisplayName();
}
