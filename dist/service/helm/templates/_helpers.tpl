{{- define "fdt.name" -}}
{{- if contains "fdt-service" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-fdt-service" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "fdt.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "fdt.own" -}}
app.kubernetes.io/name: fdt-service
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fdt.postgresql" -}}
app.kubernetes.io/name: fdt-postgresql
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
