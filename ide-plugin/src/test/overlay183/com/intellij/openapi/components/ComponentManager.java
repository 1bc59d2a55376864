package com.intellij.openapi.components;

import com.intellij.openapi.Disposable;
import com.intellij.openapi.extensions.ExtensionPointName;
import com.intellij.openapi.util.Condition;
import com.intellij.openapi.util.UserDataHolder;
import com.intellij.util.messages.MessageBus;
import org.picocontainer.PicoContainer;

/** The interface of the platform 183, with the way to services that came later. */
public interface ComponentManager extends UserDataHolder, Disposable {
    default <T> T getService(Class<T> type) {
        return ServiceManager.getService(type);
    }

    BaseComponent getComponent(String name);

    <T> T getComponent(Class<T> type);

    <T> T getComponent(Class<T> type, T otherwise);

    @SuppressWarnings("rawtypes")
    boolean hasComponent(Class type);

    <T> T[] getComponents(Class<T> type);

    PicoContainer getPicoContainer();

    MessageBus getMessageBus();

    boolean isDisposed();

    <T> T[] getExtensions(ExtensionPointName<T> name);

    Condition<?> getDisposed();
}
