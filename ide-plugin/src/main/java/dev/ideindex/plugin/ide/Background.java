package dev.ideindex.plugin.ide;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ModalityState;
import dev.ideindex.plugin.spi.HostException;
import java.util.Map;
import java.util.function.Consumer;

/** Asks the server off the UI thread, and shows the answer on it. */
final class Background {
    private Background() {}

    /** @param otherwise gets a sentence for the person when there is no answer */
    static void ask(Consumer<Map<?, ?>> show, Consumer<String> otherwise, Object... namesAndValues) {
        ModalityState modality = ModalityState.defaultModalityState();
        ApplicationManager.getApplication().executeOnPooledThread(() -> {
            try {
                Map<?, ?> answer = NativeService.getInstance().request(namesAndValues);
                ApplicationManager.getApplication().invokeLater(() -> show.accept(answer), modality);
            } catch (HostException | RuntimeException e) {
                ApplicationManager.getApplication().invokeLater(() -> otherwise.accept(String.valueOf(e.getMessage())), modality);
            }
        });
    }
}
