import{a,b,c}from"./chunk-O57EQJFZ.js";import"./chunk-AMNKUS7S.js";import"./chunk-7WZFKWZB.js";import"./chunk-DHUKS2GF.js";import"./chunk-N5A6VUJA.js";c();export{a as AuditTabs,b as default};
