import{a,b,c}from"./chunk-UAJ3GFQP.js";import"./chunk-MS4XXKWB.js";import"./chunk-6YQZNN6K.js";import"./chunk-E5YI5QY3.js";import"./chunk-VH63SMTT.js";c();export{a as GuardianTabs,b as default};
