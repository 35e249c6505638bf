import{a,b,c}from"./chunk-F5ZIEZEO.js";import"./chunk-Y7MX5QIU.js";import"./chunk-ZP4H7MFU.js";import"./chunk-J2XZZSFE.js";import"./chunk-CLELO4DU.js";c();export{a as CalendarTabs,b as default};
