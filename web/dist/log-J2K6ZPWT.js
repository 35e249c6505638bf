import{a,b,c}from"./chunk-JMQSW3AH.js";import"./chunk-NZWHK5RY.js";import"./chunk-M7IY7AXE.js";import"./chunk-QHEBYUJ3.js";import"./chunk-RZXHXUZY.js";c();export{a as AuditTabs,b as default};
