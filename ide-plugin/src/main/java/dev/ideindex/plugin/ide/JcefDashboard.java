package dev.ideindex.plugin.ide;

import com.intellij.openapi.Disposable;
import com.intellij.openapi.util.Disposer;
import com.intellij.ui.jcef.JBCefApp;
import com.intellij.ui.jcef.JBCefBrowser;
import javax.swing.JComponent;

/** The only class that knows the embedded browser: the module with it is missing in some IDEs. */
final class JcefDashboard implements Dashboard {
    @Override
    public JComponent open(String url, Disposable life) {
        if (!JBCefApp.isSupported()) {
            return null;
        }
        JBCefBrowser browser = new JBCefBrowser(url);
        Disposer.register(life, browser);
        return browser.getComponent();
    }
}
