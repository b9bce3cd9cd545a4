"""How names and values of JSON objects are read: the base of every schema."""

from functools import cached_property
from typing import Any

from marshmallow import Schema, ValidationError, fields, missing


class CamelCaseSchema(Schema):
    """camelCase outside, snake_case inside; an unknown field is an error."""

    error_messages = {"unknown": "There is no such field.", "type": "Send a JSON object."}

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        first, *rest = field_name.split("_")
        name = first + "".join(word.title() for word in rest)
        field_obj.data_key = field_obj.data_key or name
        field_obj.error_messages["required"] = f"{name} is needed."
        field_obj.error_messages["null"] = "null is not allowed here."

    def _deserialize(self, data: Any, *, error_store: Any, **options: Any) -> Any:
        """As marshmallow does, in half of the steps: names are no paths, nothing is partial."""
        if not isinstance(data, dict):
            return super()._deserialize(data, error_store=error_store, **options)
        loaded = {}
        for name, field in self.load_fields.items():
            try:
                value = field.deserialize(data.get(field.data_key, missing), field.data_key, data)
            except ValidationError as error:
                error_store.store_error(error.messages, field.data_key)
            else:
                if value is not missing:
                    loaded[field.attribute or name] = value
        for unknown in data.keys() - self._names:
            error_store.store_error([self.error_messages["unknown"]], unknown)
        return loaded

    @cached_property
    def _names(self) -> set[str]:
        return {field.data_key or name for name, field in self.load_fields.items()}
