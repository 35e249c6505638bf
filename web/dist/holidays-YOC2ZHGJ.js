import{a,b,c}from"./chunk-UNYDZRDB.js";import"./chunk-HBSNYSP3.js";import"./chunk-IHE3JVEA.js";import"./chunk-J2UTMAGN.js";import"./chunk-4SB6D7PQ.js";c();export{a as CalendarTabs,b as default};
