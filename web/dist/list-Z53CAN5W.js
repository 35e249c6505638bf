import{a,b,c}from"./chunk-HIDNHDPJ.js";import"./chunk-W3FNPDWO.js";import"./chunk-Y7MX5QIU.js";import"./chunk-J2XZZSFE.js";import"./chunk-CLELO4DU.js";c();export{a as GuardianTabs,b as default};
