import{a,b,c}from"./chunk-VI5QA6UO.js";import"./chunk-FOGVK72Z.js";import"./chunk-KII6D4LB.js";import"./chunk-FYABTPMJ.js";import"./chunk-7F5WRZ6E.js";c();export{a as GuardianTabs,b as default};
