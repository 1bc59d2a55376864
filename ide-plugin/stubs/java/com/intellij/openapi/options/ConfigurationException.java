package com.intellij.openapi.options;

public class ConfigurationException extends java.lang.Exception {
    public ConfigurationException(java.lang.String a) { throw new AssertionError(); }
}
