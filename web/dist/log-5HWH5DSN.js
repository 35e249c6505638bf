import{a,b,c}from"./chunk-QL7GK472.js";import"./chunk-GS372DI3.js";import"./chunk-6YQZNN6K.js";import"./chunk-E5YI5QY3.js";import"./chunk-VH63SMTT.js";c();export{a as AuditTabs,b as default};
