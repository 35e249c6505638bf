import{a,b,c}from"./chunk-GU37K6QA.js";import"./chunk-OVVY5DBO.js";import"./chunk-ZLXVW7SY.js";import"./chunk-PE5RQYK2.js";import"./chunk-DYMB5BLE.js";c();export{a as AuditTabs,b as default};
