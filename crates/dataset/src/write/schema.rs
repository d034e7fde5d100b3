//! Turns the registry of columns into Arrow schemas and into the text of `airmile schema`.

use std::collections::HashMap;
use std::sync::Arc;

use airmile_analyze::contract::{may_be_infinite, may_be_negative};
use airmile_analyze::{FlowColumn, TableInfo, tables};
use airmile_types::{Cause, Kind, PARAMETERS, Second, Setting};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde_json::{Map, Value, json};

/// The number of the dataset's schema. A column never changes its meaning without a new number, and
/// readers refuse a newer number.
pub const SCHEMA: u32 = 3;

/// The Arrow schema of a table, with unit, description and citation as metadata of each field.
pub fn arrow_schema(table: &TableInfo) -> SchemaRef {
    let fields: Vec<Field> = table.columns.iter().map(field).collect();
    let metadata = [("doc", table.doc.to_owned()), ("schema", SCHEMA.to_string())];
    Arc::new(Schema::new_with_metadata(fields, texts(metadata)))
}

/// The kinds of a table's columns.
pub(crate) fn kinds(table: &TableInfo) -> Arc<[Kind]> {
    table.columns.iter().map(|column| column.kind).collect()
}

/// Every table, column, parameter and cause, for people and generators.
pub fn describe() -> Value {
    let tables = tables();
    let tables: Map<String, Value> =
        tables.iter().map(|table| (table.name.to_owned(), describe_table(table))).collect();
    let parameters: Vec<Value> = PARAMETERS
        .iter()
        .map(|p| {
            let (doc, source, range) = (p.doc.trim(), p.source, p.range.to_string());
            json!({
                "name": p.name, "unit": p.unit, "doc": doc, "source": source,
                "default": json_of(&p.default.into()), "range": range,
            })
        })
        .collect();
    let causes: Vec<Value> = Cause::ALL
        .iter()
        .map(|cause| {
            let (words, side) = (cause.name(), cause.side().as_str());
            json!({
                "name": cause.as_str(), "words": words, "side": side, "is_link": cause.is_link(),
                "doc": cause.doc().trim(),
            })
        })
        .collect();
    let seconds: Vec<_> = Second::ALL.iter().map(|second| second.as_str()).collect();
    json!({
        "schema": SCHEMA, "tables": tables, "parameters": parameters, "causes": causes,
        "seconds": seconds,
    })
}

/// The value of a parameter: a number, or a list.
pub(crate) fn json_of(setting: &Setting) -> Value {
    match setting {
        Setting::Number(number) => json!(number),
        Setting::Ports(ports) => json!(ports.as_slice()),
    }
}

fn describe_table(table: &TableInfo) -> Value {
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|c| {
            let (doc, kind) = (c.doc.trim(), type_name(c.kind));
            let (negative, infinite) = (may_be_negative(&c.name, c.unit), may_be_infinite(&c.name));
            json!({
                "name": c.name, "unit": c.unit, "doc": doc, "cite": c.cite, "type": kind,
                "may_be_negative": negative, "may_be_infinite": infinite,
            })
        })
        .collect();
    json!({"doc": table.doc, "columns": columns})
}

/// The name of a type, which is also its name in Arrow.
const fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::I64 => "int64",
        Kind::U64 => "uint64",
        Kind::U16 => "uint16",
        Kind::F64 => "float64",
        Kind::Bool => "bool",
        Kind::Utf8 => "utf8",
    }
}

fn field(column: &FlowColumn) -> Field {
    let metadata = [("unit", column.unit), ("doc", column.doc.trim()), ("cite", column.cite)];
    let metadata = metadata.map(|(key, text)| (key, text.to_owned()));
    Field::new(&column.name, data_type(column.kind), true).with_metadata(texts(metadata))
}

const fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::I64 => DataType::Int64,
        Kind::U64 => DataType::UInt64,
        Kind::U16 => DataType::UInt16,
        Kind::F64 => DataType::Float64,
        Kind::Bool => DataType::Boolean,
        Kind::Utf8 => DataType::Utf8,
    }
}

fn texts<const N: usize>(pairs: [(&str, String); N]) -> HashMap<String, String> {
    let filled = pairs.into_iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(key, text)| (key.to_owned(), text)).collect()
}
