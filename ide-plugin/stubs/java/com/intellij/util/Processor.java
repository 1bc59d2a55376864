package com.intellij.util;

public interface Processor<T> {
    boolean process(T a);
}
