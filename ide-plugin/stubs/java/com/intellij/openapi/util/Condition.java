package com.intellij.openapi.util;

public interface Condition<T> {
    boolean value(T a);
}
