package dev.ideindex.plugin.ide;

import dev.ideindex.plugin.spi.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.swing.table.AbstractTableModel;

/** The server's settings as rows of name and value. A value is edited as JSON; plain words are texts. */
final class SettingsTable extends AbstractTableModel {
    private static final long serialVersionUID = 1L;

    private final transient Map<String, Object> known = new LinkedHashMap<>();
    private final transient Map<String, Object> changed = new LinkedHashMap<>();
    private final List<String> names = new ArrayList<>();

    void show(Map<?, ?> settings) {
        known.clear();
        changed.clear();
        flatten("", settings);
        names.clear();
        names.addAll(known.keySet());
        fireTableDataChanged();
    }

    private void flatten(String prefix, Map<?, ?> settings) {
        settings.forEach((name, value) -> {
            if (value instanceof Map<?, ?> inner) {
                flatten(prefix + name + ".", inner);
            } else {
                known.put(prefix + name, value);
            }
        });
    }

    /** What was edited since it was shown. */
    Map<String, Object> changed() {
        return changed;
    }

    /** What was edited is what is known now. */
    void taken() {
        known.putAll(changed);
        changed.clear();
    }

    @Override
    public int getRowCount() {
        return names.size();
    }

    @Override
    public int getColumnCount() {
        return 2;
    }

    @Override
    public String getColumnName(int column) {
        return column == 0 ? "Setting" : "Value";
    }

    @Override
    public boolean isCellEditable(int row, int column) {
        return column == 1;
    }

    @Override
    public Object getValueAt(int row, int column) {
        String name = names.get(row);
        if (column == 0) {
            return name;
        }
        Object value = changed.containsKey(name) ? changed.get(name) : known.get(name);
        return value instanceof String ? value : new String(Json.bytes(value), StandardCharsets.UTF_8);
    }

    @Override
    public void setValueAt(Object edited, int row, int column) {
        String name = names.get(row);
        Object value = value(String.valueOf(edited), known.get(name) instanceof String);
        if (value == null || value.equals(known.get(name))) {
            changed.remove(name);
        } else {
            changed.put(name, value);
        }
        fireTableCellUpdated(row, column);
    }

    private static Object value(String text, boolean isText) {
        if (isText) {
            return text;
        }
        try {
            return Json.parse(text.getBytes(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
