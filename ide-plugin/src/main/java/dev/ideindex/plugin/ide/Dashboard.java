package dev.ideindex.plugin.ide;

import com.intellij.openapi.Disposable;
import javax.swing.JComponent;

/** A browser component for the server's page. There is a service of this kind only where the IDE has one. */
interface Dashboard {
    /** Null when this IDE cannot show pages after all. */
    JComponent open(String url, Disposable life);
}
